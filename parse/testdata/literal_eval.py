"""Reads JSON strings, one a line, each the source of a Python literal. Writes
for each line {"ok": true, "value": ...} as Python reads it, or {"ok": false}."""

import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")  # backslashes that make no escape

for line in sys.stdin:
    try:
        print(json.dumps({"ok": True, "value": ast.literal_eval(json.loads(line))}))
    except (ValueError, SyntaxError, TypeError):
        print(json.dumps({"ok": False}))
