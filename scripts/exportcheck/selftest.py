"""Spoils copies of exports that are sound, and sees that each spoiling is found."""

import glob
import hashlib
import json
import os
import shutil
import sys
import tempfile

import pyarrow.parquet

from check import safely, told
from rows import Deviation


def rewrite(path, change):
    """Changes the first row for which change gives another one."""
    with open(path, encoding="utf-8", newline="\n") as f:
        lines = f.read().split("\n")[:-1]
    for i, line in enumerate(lines):
        row = json.loads(line)
        if change(row):
            lines[i] = json.dumps(row, ensure_ascii=False)
            break
    else:
        raise LookupError("no row can be spoilt so")
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write("\n".join(lines) + "\n")


def messages(row):
    return row.get("messages") or row.get("conversations") or row["input"]["messages"]


def text(row):
    """One letter more in what was asked."""
    if row.get("altered") or row.get("target"):
        return False
    m = messages(row)[1] if "conversations" not in row else messages(row)[0]
    if isinstance(m.get("content"), list):
        m["content"][-1]["text"] += "x"
    else:
        m["content" if "content" in m else "value"] += "x"
    return True


def reply(row):
    if row.get("altered") or row.get("target"):
        return False
    m = (row.get("messages") or row.get("conversations") or row["preferred_output"])[-1]
    if isinstance(m.get("content"), list):
        if not m["content"]:
            return False
        m["content"][-1]["text"] = "y" + m["content"][-1]["text"]
    else:
        key = "content" if "content" in m else "value"
        m[key] = "y" + m[key]
    return True


def temperature(row):
    row["temperature"] = row["temperature"] + 0.5
    return not row.get("altered") and not row.get("target")


def weight(row):
    marked = [m for m in messages(row) if "weight" in m or "loss" in m]
    for m in marked:
        m.pop("weight", None)
        m.pop("loss", None)
    return bool(marked)


def turns(row):
    if "conversations" not in row or len(row["conversations"]) < 2:
        return False
    row["conversations"].insert(1, row["conversations"][0] | {"value": "again"})
    return True


def picture(row):
    """A picture less than there are places."""
    if row.get("images"):
        row["images"].pop()
        return True
    return False


def drop(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        lines = f.readlines()
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.writelines(lines[1:])


def columns(change):
    def spoil(path):
        table = pyarrow.parquet.read_table(path)
        rows = table.to_pylist()
        change(rows)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=table.schema), path)
    return spoil


def parquet_text(rows):
    rows[0]["messages"][1]["content"][-1]["text"] += "x"


def parquet_picture(rows):
    rows[0]["images"][0]["bytes"] += b"x"


def parquet_order(rows):
    row = next(r for r in rows if len(r["images"]) > 1 and r["images"][0] != r["images"][-1])
    row["images"].reverse()


def rows_of(folder):
    return sorted(glob.glob(os.path.join(folder, "*.jsonl")) + glob.glob(os.path.join(folder, "data", "*.parquet")))[0]


def seal(folder):
    """Has the manifest agree with what was spoilt, so that nothing but the rows tells."""
    path = os.path.join(folder, "manifest.json")
    with open(path, encoding="utf-8") as f:
        manifest = json.load(f)
    for file in manifest["files"]:
        with open(os.path.join(folder, file["path"]), "rb") as f:
            file["sha256"] = hashlib.sha256(f.read()).hexdigest()
    with open(path, "w", encoding="utf-8") as f:
        json.dump(manifest, f)
    sums = os.path.join(folder, "SHA256SUMS")
    if os.path.isfile(sums):
        os.truncate(sums, 0)
        for file in manifest["files"]:
            if file["path"] == "SHA256SUMS":
                file["sha256"] = hashlib.sha256(b"").hexdigest()
        with open(path, "w", encoding="utf-8") as f:
            json.dump(manifest, f)


def file(pattern, change):
    """Spoils the first file of a run that has some of those."""
    def spoil(folder):
        change(sorted(glob.glob(os.path.join(folder, "runs", "*", pattern)))[0])
    return spoil


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2)


def lines_of(change):
    return lambda folder: rewrite(rows_of(folder), change)


SPOILINGS = {
    "jsonl": {"text": lines_of(text), "reply": lines_of(reply), "temperature": lines_of(temperature), "row gone": lambda f: drop(rows_of(f)),
              "frame cut": lambda f: cut(sorted(glob.glob(os.path.join(f, "frames", "*")))[0])},
    "openai": {"weight": lines_of(weight)},
    "swift": {"loss": lines_of(weight), "picture": lines_of(picture)},
    "sharegpt": {"turns": lines_of(turns), "picture": lines_of(picture)},
    "parquet": {"text": lambda f: columns(parquet_text)(rows_of(f)), "picture": lambda f: columns(parquet_picture)(rows_of(f)),
                "order": lambda f: columns(parquet_order)(rows_of(f))},
    "datapoint": {"frame gone": file("screenshot_1_pre.*", os.remove), "frame cut": file("screenshot_1_post.*", cut), "event gone": file("solver_log/events.jsonl", drop)},
    "webvoyager": {"frame cut": file("screenshot1.png", cut), "messages": file("interact_messages.json", cut)},
    "mind2web": {"frame gone": file("trajectory/0_screenshot.png", os.remove), "result": file("result.json", cut)},
}


def same(folder):
    """Writes the rows again as they are, so that it is what was spoilt that is found."""
    for path in glob.glob(os.path.join(folder, "*.jsonl")):
        rewrite(path, lambda row: True)
    for path in glob.glob(os.path.join(folder, "data", "*.parquet")):
        columns(lambda rows: None)(path)


def main(exports):
    """Every export must be of plain replies, and sound."""
    bad = told(exports)
    if bad:
        return bad
    for folder in exports:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
            form = json.load(f)["format"]
        spoilings = {"": same} | SPOILINGS.get(form, {})
        if form in ("openai", "swift", "sharegpt"):
            spoilings |= SPOILINGS["jsonl"]
        for name, spoil in spoilings.items():
            with tempfile.TemporaryDirectory() as tmp:
                copy = os.path.join(tmp, "export")
                shutil.copytree(folder, copy)
                spoil(copy)
                seal(copy)
                bad |= outcome(form, name, copy)
    return bad


def outcome(form, name, copy):
    """1 when a spoiling is not found, or when one is that is none."""
    try:
        safely(copy)
    except Deviation as err:
        text = str(err).replace(copy, "…")[:160]
        if name:
            print(f"{form}: {name}: found: {text}")
            return 0
        print(f"check-export: {form}: nothing was spoilt, and found was: {text}", file=sys.stderr)
        return 1
    if name:
        print(f"check-export: {form}: {name} was spoilt and not found", file=sys.stderr)
        return 1
    return 0
