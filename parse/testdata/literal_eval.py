"""Reads JSON strings, one a line, each the source of a Python literal. Writes
for each line {"ok": true, "value": ...} as Python reads it, or {"ok": false} when
Python refuses it or reads what JSON has no word for, such as a set."""

import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")  # backslashes that make no escape

for line in sys.stdin:
    try:
        print(json.dumps({"ok": True, "value": ast.literal_eval(json.loads(line))}, allow_nan=False))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        print(json.dumps({"ok": False}))
