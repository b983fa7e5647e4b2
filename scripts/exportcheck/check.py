"""Loads exports with what will read them and holds them to what was sent."""

import collections
import hashlib
import json
import os
import sys
import tempfile

import datasets
import PIL.Image
import pyarrow.parquet

import folders
import rows
from rows import Deviation, require


def check(folder):
    """Checks one export; gives what was counted. Raises Deviation."""
    path = os.path.join(folder, "manifest.json")
    require(os.path.isfile(path), f"{folder}: no manifest.json; is it an export?")
    with open(path, encoding="utf-8") as f:
        manifest = json.load(f)
    require(manifest.get("type") == "fara-export", f"{folder}: manifest.json is not an export's")
    hashes(folder, manifest)
    counts = collections.Counter()
    form = manifest["format"]
    if form in folders.READERS:
        whole(folder, folders.READERS[form], counts)
        require(counts["runs"] == manifest["rows"]["total"], f"{folder}: {counts['runs']} runs, the manifest has {manifest['rows']['total']}")
        return counts
    require(form in rows.READERS or form == "parquet", f"{folder}: the format {form} is unknown here")
    for file in manifest["files"]:
        if file.get("rows"):
            before = counts["rows"]
            one(folder, form, file, counts)
            require(counts["rows"] - before == file["rows"], f"{file['path']}: {counts['rows'] - before} rows, the manifest has {file['rows']}")
    require(counts["rows"] == manifest["rows"]["total"] > 0, f"{folder}: {counts['rows']} rows, the manifest has {manifest['rows']['total']}")
    if form == "sharegpt":
        named(folder, manifest)
    return counts


def hashes(folder, manifest):
    listed = [(f["sha256"], f["path"]) for f in manifest["files"]]
    sums = os.path.join(folder, "SHA256SUMS")
    if os.path.isfile(sums):
        with open(sums, encoding="utf-8") as f:
            listed += [line.rstrip("\n").split("  ", 1) for line in f]
    for sha, path in listed:
        require(os.path.isfile(os.path.join(folder, path)), f"{path}: the manifest names it, and it is not there")
        with open(os.path.join(folder, path), "rb") as f:
            require(hashlib.file_digest(f, "sha256").hexdigest() == sha, f"{path}: its hash is not the manifest's")


def one(folder, form, file, counts):
    """Checks a file of rows: with datasets, then byte by byte."""
    path = os.path.join(folder, file["path"])
    pictures = rows.Pictures(folder)
    with tempfile.TemporaryDirectory() as cache:
        loaded = datasets.load_dataset("parquet" if form == "parquet" else "json", data_files=path, cache_dir=cache, split="train")
        require(len(loaded) == file["rows"], f"{file['path']}: datasets loads {len(loaded)} rows, the manifest has {file['rows']}")
        if form == "parquet":
            drawn(loaded, file["path"])
    if form == "parquet":
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=16):
            for row in batch.to_pylist():
                rows.check_row(rows.parquet(row, pictures), counts)
        return
    for line in rows.lines(path):
        rows.check_row(rows.READERS[form](line, pictures), counts)


def drawn(loaded, path):
    """datasets gives pictures, as many as there are places for them."""
    for row in loaded:
        places = sum(p["type"] == "image" for m in row["messages"] or [] for p in m["content"] or [])
        require(len(row["images"] or []) == places, f"{path}: row {row['id']}: {len(row['images'] or [])} pictures, {places} places")
        for picture in row["images"] or []:
            require(isinstance(picture, PIL.Image.Image), f"{path}: row {row['id']}: datasets gives {type(picture).__name__} for a picture")


def named(folder, manifest):
    """LLaMA-Factory finds every file in dataset_info.json."""
    with open(os.path.join(folder, "dataset_info.json"), encoding="utf-8") as f:
        info = json.load(f)
    files = {i["file_name"] for i in info.values()}
    wanted = {f["path"] for f in manifest["files"] if f.get("rows")}
    require(files == wanted, f"dataset_info.json names {sorted(files)}, the rows are in {sorted(wanted)}")


def whole(folder, read, counts):
    parts = [p for p in os.listdir(folder) if os.path.isdir(os.path.join(folder, p))]
    for part in sorted(parts):
        for run in sorted(os.listdir(os.path.join(folder, part))):
            counts["actions"] += read(os.path.join(folder, part, run))
            counts["runs"] += 1


def safely(folder):
    """check, where anything that is not there or not readable is a deviation too."""
    try:
        return check(folder)
    except Deviation:
        raise
    except Exception as err:
        raise Deviation(f"{folder}: {type(err).__name__}: {' '.join(str(err).split())[:300]}") from err


def main(args):
    datasets.disable_progress_bars()
    if args and args[0] == "--self-test":
        import selftest
        return selftest.main(args[1:])
    return told(args)


def told(args):
    """Checks exports and says what was counted, or the first deviation."""
    try:
        for folder in args:
            counts = safely(folder)
            print(f"{folder}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    except Deviation as err:
        print(f"check-export: {err}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
