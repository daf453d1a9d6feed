"""Nonsense of every kind: the server answers with one line, tells nothing, and goes on."""

from __future__ import annotations

import json
from typing import get_args

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sandtable.server.application import make_application
from sandtable.server.client_messages import FromClient
from sandtable.server.server_messages import ServerMessage
from server.running import settings_in

FEW = settings(
    max_examples=3,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
NOT_FUZZED = ("/api/labels/retrain",)  # it would train


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """What the application says about its own interface."""
    guard = make_application(settings_in(tmp_path_factory.mktemp("schema")))
    guard.application.state.server.storage.close()
    guard.application.state.server.archive.close()
    return schemathesis.openapi.from_dict(guard.application.openapi(), config=SchemathesisConfig())


def test_the_interface_is_described(schema):
    paths = {result.ok().path for result in schema.get_all_operations()}
    assert {"/api/rooms", "/api/archive/{identity}/steps", "/api/analysis"} <= paths
    assert len(paths) > 25


def test_no_request_brings_the_server_into_trouble(server, schema):
    """Requests made from the schema, sound and unsound ones, all get a clear answer."""
    operations = [result.ok() for result in schema.get_all_operations()]
    count = 0
    for operation in operations:
        if operation.path in NOT_FUZZED:
            continue
        sound = operation.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
        unsound = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
        for strategy in (sound, unsound):

            @FEW
            @given(case=strategy)
            def ask(case) -> None:
                nonlocal count
                count += 1
                answer = case.call(base_url=f"http://{server.host}", timeout=30)
                assert answer.status_code < 500, (case, answer.text)
                if answer.status_code >= 400:
                    line = answer.json()["error"]
                    assert "\n" not in line
                    assert "Traceback" not in line

            try:
                ask()
            except Exception as problem:  # an operation without anything to make unsound
                if "negative" not in str(problem).lower() and "Unsatisfiable" not in repr(problem):
                    raise
    assert count > 100
    assert server.get("/api/about")["version"]


TYPES = [get_args(each.model_fields["type"].annotation)[0] for each in FromClient.__subclasses__()]
ANSWERS = {
    get_args(each.model_fields["type"].annotation)[0]
    for each in get_args(get_args(ServerMessage)[0])
}
WORDS = st.sampled_from([*TYPES, "state", ""])
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=True),
    st.text(max_size=30),
)
ANYTHING = st.recursive(
    PLAIN, lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=8), each)
)
NAMES = sorted({name for each in FromClient.__subclasses__() for name in each.model_fields})
FIELDS = st.sampled_from([*NAMES, "from"])
MESSAGES = st.one_of(
    st.builds(
        lambda word, fields: json.dumps({"type": word, **fields}),
        WORDS,
        st.dictionaries(FIELDS, ANYTHING, max_size=4),
    ),
    ANYTHING.map(json.dumps),
    st.text(max_size=60),
    st.binary(max_size=60),
    st.just("[" * 5000),
    st.just('{"type":"play","ply":0,"actions":[' + "0," * 300 + "0]}"),
)


def test_no_message_brings_a_room_into_trouble(server):
    """Whatever is sent over a WebSocket: errors in the right shape, or a clean end."""
    links = server.room("stratego:variant=mini,setup=choose", None, None)
    token = links["seats"][0]["token"]
    stops = '"type": "resign"'

    @settings(FEW, max_examples=40)
    @given(st.lists(MESSAGES, min_size=1, max_size=12), st.booleans())
    def talk(messages, seated) -> None:
        address = f"ws://{server.host}/api/rooms/{links['room']}/socket"
        with connect(address, max_size=None) as socket:
            try:
                socket.send(json.dumps({"type": "join", "token": token if seated else None}))
                for message in messages:
                    if isinstance(message, bytes) or stops not in message:
                        socket.send(message)
                socket.send('{"type":"ping","id":"last"}')
                while (answer := json.loads(socket.recv(30)))["type"] != "pong":
                    assert answer["type"] in ANSWERS
                    if answer["type"] == "error":
                        assert "\n" not in answer["text"]
            except ConnectionClosed as closed:
                assert closed.rcvd is not None
                assert closed.rcvd.code in (4400, 4401, 4429, 1007, 1009)

    talk()
    with server.joined(links["room"], token) as player:
        assert player.until_type("state")["you"] == 0  # the room is as it was
        assert player.now["outcome"] is None


def test_a_room_wants_to_be_joined_first(server):
    links = server.room("skirmish", None, None)
    address = f"ws://{server.host}/api/rooms/{links['room']}/socket"
    for first in ('{"type":"ping"}', "hello", '{"type":"join","token":5}'):
        with connect(address) as socket:
            socket.send(first)
            assert json.loads(socket.recv(10))["code"] == "shape"
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(10)
            assert closed.value.rcvd.code == 4400
    for name in ("AAAAAAAAAAAA", "x"):
        with connect(f"ws://{server.host}/api/rooms/{name}/socket") as socket:
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(10)
            assert closed.value.rcvd.code == 4404
