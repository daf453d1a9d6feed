"""An endpoint that speaks OpenAI's protocol over real HTTP, and misbehaves when it is told to.

It answers what a script says: a function of the messages of a request, which returns the text of
the answer, or a ``Misbehaviour``. ``legal_player`` plays from the list in the prompt.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "stand-in"


@dataclass
class Answer:
    """An answer with all that can come with it."""

    text: str
    reasoning: str = ""
    finish: str = "stop"
    usage: bool = True


@dataclass
class Misbehaviour:
    """What an endpoint does instead of answering."""

    kind: str
    status: int = 200
    headers: dict = field(default_factory=dict)
    body: str = ""


def legal_actions(prompt: str) -> list[str]:
    """Return the legal actions that a prompt lists."""
    return re.findall(r"legal actions: (.*)", prompt)[-1].split()


def legal_player(messages: list[dict]) -> str:
    """Play one of the legal actions of the prompt, by a hash of it."""
    prompt = messages[1]["content"]
    names = legal_actions(prompt)
    number = int(hashlib.blake2b(prompt.encode(), digest_size=4).hexdigest(), 16)
    return f"I looked at {len(names)} actions.\nMOVE: {names[number % len(names)]}"


def turn_player(messages: list[dict]) -> str:
    """Play two legal actions and close the turn, where 'end' closes it."""
    names = legal_actions(messages[1]["content"])
    return f"MOVE: {names[0]} end" if "end" in names and names[0] != "end" else f"MOVE: {names[0]}"


class StandIn:
    """The endpoint; ``script`` may be changed at any time."""

    def __init__(self, script=legal_player):
        self.script = script
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self.at_once, self.most_at_once = 0, 0
        self.lock = threading.Lock()
        self.released = threading.Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                stand_in.serve(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.server.handle_error = lambda *_: None  # clients that hang up are what is tested
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

    def serve(self, handler):
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            self.requests.append(body)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            assert handler.path == "/v1/chat/completions"
            told = self.script(body["messages"])
            if isinstance(told, Misbehaviour):
                misbehave(handler, told, body.get("stream"), self.released)
            else:
                answer = told if isinstance(told, Answer) else Answer(told)
                (stream if body.get("stream") else whole)(handler, answer, body)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True
        finally:
            with self.lock:
                self.at_once -= 1


@contextlib.contextmanager
def standing_in(script=legal_player):
    stand_in = StandIn(script)
    try:
        yield stand_in
    finally:
        stand_in.close()


def usage_of(answer: Answer, body: dict) -> dict:
    read = sum(len(each["content"]) for each in body["messages"]) // 4
    said = (len(answer.text) + len(answer.reasoning)) // 4
    details = {"reasoning_tokens": len(answer.reasoning) // 4}
    counted = {"prompt_tokens": read, "completion_tokens": said, "total_tokens": read + said}
    return counted | {"completion_tokens_details": details}


def send(handler, text: str, *, status=200, kind="application/json", headers=None):
    data = text.encode()
    handler.send_response(status)
    for name, value in {"Content-Type": kind, **(headers or {})}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def whole(handler, answer: Answer, body: dict):
    message = {"role": "assistant", "content": answer.text}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    data = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }
    if answer.usage:
        data["usage"] = usage_of(answer, body)
    send(handler, json.dumps(data))


def chunk_of(delta: dict, finish=None, **more) -> bytes:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    data = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    return f"data: {json.dumps({**data, 'choices': choices, **more})}\n\n".encode()


def begin_stream(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()


def piece(handler, data: bytes):
    handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def stream(handler, answer: Answer, body: dict):
    begin_stream(handler)
    for start in range(0, len(answer.reasoning), 40):
        piece(handler, chunk_of({"reasoning_content": answer.reasoning[start : start + 40]}))
    size = max(20, len(answer.text) // 4)
    for start in range(0, len(answer.text), size):
        piece(handler, chunk_of({"content": answer.text[start : start + size]}))
    piece(handler, chunk_of({}, answer.finish))
    if answer.usage and body.get("stream_options", {}).get("include_usage"):
        piece(handler, chunk_of({}, usage=usage_of(answer, body)))
    piece(handler, b"data: [DONE]\n\n")
    piece(handler, b"")


def misbehave(handler, told: Misbehaviour, streaming: bool, released: threading.Event):
    handler.close_connection = True
    if told.kind == "status":
        send(handler, told.body, status=told.status, headers=told.headers)
    elif told.kind == "silence":
        released.wait(20)
    elif told.kind == "drip":
        drip(handler, streaming, released)
    elif told.kind == "hang up":
        handler.connection.close()
    elif told.kind == "half":
        half(handler, streaming)
    elif told.kind == "half event":
        begin_stream(handler)
        piece(handler, b'data: {"choices": [{"delta": {"cont\n\n')
        piece(handler, b"")
    elif told.kind == "garbage":
        send(handler, told.body or "<html>gateway</html>", kind="text/html")
    elif told.kind == "no choices":
        send(handler, json.dumps({"id": "c", "object": "chat.completion", "choices": []}))
    elif told.kind == "error event":
        begin_stream(handler)
        piece(handler, b'data: {"error": {"message": "overloaded", "code": 503}}\n\n')
        piece(handler, b"")
    elif told.kind == "endless":
        endless(handler, streaming)
    else:
        raise AssertionError(told.kind)


def drip(handler, streaming, released):
    """Send something every now and then, and never an answer."""
    begin_stream(handler)
    while not released.wait(0.05):
        piece(handler, b": still here\n\n" if streaming else b" ")


def half(handler, streaming):
    """Break off in the middle of an answer."""
    if streaming:
        begin_stream(handler)
        piece(handler, chunk_of({"content": "MOVE: "}))
        handler.wfile.flush()
    else:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        handler.wfile.write(b'{"id": "c1", "choices": [{"message": {"content": "MOV')
    time.sleep(0.01)
    handler.connection.close()


def endless(handler, streaming):
    """Send more than anybody wants to read."""
    if streaming:
        begin_stream(handler)
        for _ in range(200):
            piece(handler, chunk_of({"content": "blah " * 2000}))
        return
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(400):
        handler.wfile.write(b"x" * 100_000)
