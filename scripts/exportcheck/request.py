"""The hash of a request, as it was recorded when the request was sent.

It is SHA-256 over lines of JSON, each with a line feed behind it:

  [temperature, max_tokens, seed, stop, schema]     and tools as a sixth, if there are any
  [role, text, MIME, sha256, ...]                   one for each message

A message's list goes on with MIME and SHA-256 in hex for each picture, then with
"answers" and the call's id where a tool's turn answers a call, then with "calls", id,
name and arguments for each native call. JSON is as Go writes it: no spaces, "<", ">"
and "&" and the line separators escaped, whole numbers without a point, null for what
was not given.
"""

import hashlib
import json
import re


class Number(str):
    """A number as it stands in the JSON."""


def parse(text):
    """JSON whose numbers stay as they are written."""
    return json.loads(text, parse_float=Number, parse_int=Number)


ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def escaped(text):
    return re.sub("[<>&\u2028\u2029]", lambda m: ESCAPED[m[0]], text)


def number(value):
    """A float as Go writes it: 1 for 1.0, 1e-7 for 1e-07."""
    text = repr(float(value))
    if text.endswith(".0"):
        text = text[:-2]
    return re.sub(r"e([+-])0(\d)$", r"e\1\2", text)


def encode(value):
    """JSON as Go writes it."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return escaped(json.dumps(value, ensure_ascii=False))
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, dict):
        return "{" + ",".join(encode(k) + ":" + encode(v) for k, v in value.items()) + "}"
    return "[" + ",".join(encode(v) for v in value) + "]"


def compact(text):
    """A JSON text without its white space, the rest as it stands."""
    strings = re.compile(r'"(?:[^"\\]|\\.)*"|[ \t\r\n]+')
    return escaped(strings.sub(lambda m: m[0] if m[0][0] == '"' else "", text))


def request_hash(sampling, tools, schema, messages):
    """The hash. tools and schema are JSON texts or None; a message is a dict with role,
    text, images as pairs of MIME and hash, call_id and calls as triples."""
    head = [number(sampling.get("temperature") or 0), encode(sampling.get("max_tokens") or 0),
            encode(sampling.get("seed")), encode(sampling.get("stop")), compact(schema) if schema else "null"]
    if tools:
        head.append(compact(tools))
    digest = hashlib.sha256(("[" + ",".join(head) + "]\n").encode())
    for m in messages:
        line = [m["role"], m["text"]]
        for mime, sha in m["images"]:
            line += [mime, sha]
        if m["call_id"]:
            line += ["answers", m["call_id"]]
        for call in m["calls"]:
            line += ["calls", *call]
        digest.update((encode(line) + "\n").encode())
    return digest.hexdigest()


def reply_hash(text, thinking, calls):
    """The hash of a reply: of its text alone, or of all its parts as a JSON list."""
    if not thinking and not calls:
        return hashlib.sha256(text.encode()).hexdigest()
    parts = [text, thinking, [named(c) for c in calls] or None]
    return hashlib.sha256(encode(parts).encode()).hexdigest()


def named(call):
    out = {"id": call[0]} if call[0] else {}
    return out | {"name": call[1], "arguments": call[2]}
