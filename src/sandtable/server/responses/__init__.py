"""What the server answers over HTTP, a file for each subject.

What it means is said in docs/web-protocol.md. Answers are built as plain data; the tests hold
them against these classes, and the types of the browser client are made from them.
"""
