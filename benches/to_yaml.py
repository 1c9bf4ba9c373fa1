#!/usr/bin/env python3
"""Prints a JSON file as block YAML, similar to `kubectl get -o yaml`.

to_yaml.py FILE.json > FILE.yaml
"""
import json
import re
import sys

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._/-]*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"}


def scalar(value):
    """Returns a scalar as YAML. A string has no quotes if it needs none. A quoted string of JSON is also valid in YAML."""
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in WORDS:
        return value
    return json.dumps(value)


def lines(value, indent, out):
    pad = "  " * indent
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, (dict, list)) and inner:
                out.append(f"{pad}{scalar(key)}:")
                lines(inner, indent + (1 if isinstance(inner, dict) else 0), out)
            else:
                out.append(f"{pad}{scalar(key)}: {scalar(inner)}")
    else:
        for inner in value:
            if isinstance(inner, (dict, list)) and inner:
                first = len(out)
                lines(inner, indent + 1, out)
                out[first] = f"{pad}- {out[first].lstrip()}"
            else:
                out.append(f"{pad}- {scalar(inner)}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cluster = json.load(file)
    print('apiVersion: v1\nkind: List\nmetadata:\n  resourceVersion: ""\nitems:')
    for item in cluster["items"]:
        out = []
        lines([item], 0, out)
        print("\n".join(out))


main()
