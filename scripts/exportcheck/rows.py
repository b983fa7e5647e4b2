"""Rows of every format as one kind of thing: turns, pictures and what is known of them."""

import base64
import hashlib
import io
import os

import PIL.Image

from request import encode, parse, reply_hash, request_hash

MARK = "<image>"


class Deviation(Exception):
    """What is not as it has to be, in one line."""


def require(holds, text):
    if not holds:
        raise Deviation(text)


class Pictures:
    """The pictures of an export, each looked at once."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def look(self, name, data):
        """MIME and hash of a picture. Its file is named by its hash."""
        sha = hashlib.sha256(data).hexdigest()
        if sha not in self.known:
            try:
                with PIL.Image.open(io.BytesIO(data)) as picture:
                    picture.load()
                    self.known[sha] = (PIL.Image.MIME[picture.format], picture.size)
            except Exception as err:
                raise Deviation(f"{name}: the picture cannot be read: {err}") from None
        if name:
            stem = os.path.splitext(os.path.basename(name))[0]
            require(stem == sha, f"{name}: the picture's hash is {sha}")
        return self.known[sha][0], sha

    def named(self, ref):
        if ref.startswith("data:"):
            head, _, body = ref.partition(",")
            mime, sha = self.look("", base64.b64decode(body, validate=True))
            require(head == f"data:{mime};base64", f"a picture of {mime} is called {head}")
            return mime, sha
        path = os.path.join(self.folder, ref)
        require(os.path.isfile(path), f"{ref}: there is no such picture")
        with open(path, "rb") as f:
            return self.look(ref, f.read())


def turn(role, text, images=(), call_id="", calls=(), thinking="", learned=None):
    return {"role": role, "text": text or "", "images": list(images), "call_id": call_id or "",
            "calls": list(calls), "thinking": thinking or "", "learned": learned}


def parts_turn(m, picture):
    """A message whose content is a list of parts. picture gives the next picture."""
    images = [picture(p) for p in m["content"] or [] if p["type"] != "text"]
    text = "".join(p.get("text") or "" for p in m["content"] or [] if p["type"] == "text")
    calls = [(c.get("id") or "", c["function"]["name"], c["function"]["arguments"] or "") for c in m.get("tool_calls") or []]
    weight = m.get("weight")
    return turn(m["role"], text, images, m.get("tool_call_id"), calls, m.get("reasoning_content"),
                None if weight is None else str(weight) == "1")


def openai(line, pictures):
    row = parse(line)
    known = {k: v for k, v in row.items() if k not in ("messages", "input", "preferred_output", "non_preferred_output")}
    asked = row.get("input") or {}
    tools = row.get("tools") or asked.get("tools")
    look = lambda p: pictures.named(p["image_url"]["url"])
    turns = [parts_turn(m, look) for m in row.get("messages") or asked["messages"] + row["preferred_output"]]
    if "input" not in row and not known.get("target"):
        require(all((t["role"] == "assistant") == (t["learned"] is not None) for t in turns), f"row {row['id']}: a weight is missing, or stands where none belongs")
    worse = row.get("non_preferred_output")
    return turns, known, encode(tools) if tools else None, worse and parts_turn(worse[0], look)


def flat(known, system, remarks, images, pictures):
    """Turns of a format of texts, where marks stand for pictures."""
    found = [pictures.named(i) for i in images or []]
    turns = [turn("system", system)] if system else []
    joined = "tool_turn_joined" in (known.get("altered") or [])
    for role, text, learned in remarks:
        n = 0
        if role == "user":
            while text.startswith(MARK):
                n, text = n + 1, text[len(MARK):]
            if joined:  # a tool's words stand before the pictures
                n, text = n + text.count(MARK), text.replace(MARK, "")
        require(MARK not in text, f"row {known['id']}: a mark stands inside a text")
        require(n <= len(found), f"row {known['id']}: more marks than pictures")
        turns.append(turn(role, text, found[:n], learned=learned))
        found = found[n:]
    require(not found, f"row {known['id']}: more pictures than marks")
    return turns


def sharegpt(line, pictures):
    row = parse(line)
    said = row["conversations"] + ([row["chosen"]] if "chosen" in row else [])
    for i, m in enumerate(said):
        require(m["from"] == ("human", "gpt")[i % 2], f"row {row['id']}: turn {i + 1} is {m['from']}'s; human and gpt have to take turns")
    require(not said or len(said) % 2 == 0, f"row {row['id']}: the last turn is not gpt's")
    remarks = [("user" if m["from"] == "human" else "assistant", m["value"], None) for m in said]
    turns = flat(row, row["system"], remarks, row["images"], pictures)
    return turns, row, row["tools"] or None, "rejected" in row and turn("assistant", row["rejected"]["value"]) or None


def swift(line, pictures):
    row = parse(line)
    said, system = row["messages"], ""
    if said and said[0]["role"] == "system":
        system, said = said[0]["content"], said[1:]
    for m in said:
        require((m["role"] == "assistant") == isinstance(m.get("loss"), bool), f"row {row['id']}: a loss mark is missing, or stands where none belongs")
    turns = flat(row, system, [(m["role"], m["content"], m.get("loss")) for m in said], row["images"], pictures)
    return turns, row, row.get("tools") or None, "rejected_response" in row and turn("assistant", row["rejected_response"]) or None


def parquet(row, pictures):
    known = parse(row["fara"])
    require(row["id"] == known["id"], f"row {row['id']}: the column fara is about {known['id']}")
    found = [pictures.look(p["path"], p["bytes"]) for p in row["images"] or []]
    places = iter(found)
    take = lambda _: next(places, None)
    said = (row["messages"] or []) + (row["chosen"] or [])
    turns = [parts_turn(m, take) for m in said]
    seen = [i for t in turns for i in t["images"]]
    require(seen == found, f"row {row['id']}: {len(seen)} places for {len(found)} pictures")
    if not row["chosen"] and not known.get("target"):
        require(all((t["role"] == "assistant") == (t["learned"] is not None) for t in turns), f"row {row['id']}: a weight is missing, or stands where none belongs")
    worse = row["rejected"]
    return turns, known, row["tools"], worse and parts_turn(worse[0], take)


def sampling(known):
    return {k: known.get(k) for k in ("temperature", "max_tokens", "seed", "stop")}


def check_row(read, counts):
    """Holds a row to the hashes of what was sent and replied."""
    turns, known, tools, worse = read
    name = f"row {known['id']}"
    require(known.get("run") and known.get("status") and known.get("provenance") is not None, f"{name}: it does not say where it comes from")
    counts["rows"] += 1
    if known.get("target"):
        require(any(t["images"] for t in turns), f"{name}: no picture")
        return
    require(turns and turns[-1]["role"] == "assistant", f"{name}: it does not end with an answer")
    answers = known.get("answers") or []
    require(answers, f"{name}: it does not say which request it answers")
    if known.get("altered"):
        counts["written otherwise (" + ", ".join(known["altered"]) + ")"] += 1
        return
    at = -1
    for a in answers:
        at = find(turns, at, a, known, tools, name)
        counts["requests equal" if a["recorded"] else "requests never recorded"] += 1
        require(turns[at]["learned"] is not False or len(answers) == 1 or a["by"] != "model", f"{name}: a reply that is to be learned has no weight")
    if worse:
        got = reply_hash(worse["text"], worse["thinking"], worse["calls"])
        require(got == known["rejected_answer"]["reply_sha256"], f"{name}: the worse answer is not the reply that was recorded")


def find(turns, after, answer, known, tools, name):
    """The turn that is an answer: the reply that was recorded, behind the request that was."""
    why = "no turn is the reply that was recorded"
    for i, t in enumerate(turns):
        if i <= after or t["role"] != "assistant" or reply_hash(t["text"], t["thinking"], t["calls"]) != answer["reply_sha256"]:
            continue
        got = request_hash(sampling(known), tools, known.get("reply_schema"), turns[:i])
        if got == answer["request_sha256"]:
            return i
        why = f"the request hashes to {got}, recorded is {answer['request_sha256']}"
    raise Deviation(f"{name}: step {answer['step']}: {why}")


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        for line in f:
            require(line.endswith("\n"), f"{path}: the last line has no end")
            yield line


READERS = {"openai": openai, "sharegpt": sharegpt, "swift": swift}
