"""Whole runs as other systems' folders, by the rules of the programs that read them."""

import json
import os
import re

import PIL.Image

from rows import require

SCREENSHOT = re.compile(r"screenshot_(\d+)_(pre|post)\.(png|jpg)$")
STATUSES = {"running", "complete", "aborted", "timed_out", "max_rounds", "waiting_for_user"}
MESSAGES = {"task", "followup_task", "critical_point_response", "retry_feedback"}


def load(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return json.load(f)


def picture(path):
    require(os.path.isfile(path), f"{path}: there is no such picture")
    try:
        with PIL.Image.open(path) as p:
            p.load()
    except Exception as err:
        require(False, f"{path}: the picture cannot be read: {err}")


def datapoint(folder):
    """Fara's DataPoint. The frame before action n is screenshot_n_pre, one for each."""
    point = load(folder, "data_point.json")
    log = point["solver_log"]
    with open(os.path.join(folder, "solver_log", "events.jsonl"), encoding="utf-8") as f:
        require([json.loads(line) for line in f] == log["events"], f"{folder}: events.jsonl differs from data_point.json")
    require(load(folder, "task.json") == point["task"] and load(folder, "metadata.json") == point["metadata"], f"{folder}: its files differ from data_point.json")
    require(log["status"] in STATUSES, f"{folder}: status {log['status']}")
    require(load(folder, "solver_log", "status.json") == {"status": log["status"], "outcome": log["outcome"]}, f"{folder}: status.json differs from data_point.json")
    load(folder, "run_state.json")
    steps = grouped(folder, log["events"])
    for n, (pre, action, post) in enumerate(steps, 1):
        shots = [e["screenshot_path"] for e in post if e["observation_type"] == "environment"]
        require(len(shots) == 1, f"{folder}: action {n} has {len(shots)} frames after it")
        name = SCREENSHOT.fullmatch(shots[0])
        require(name and int(name[1]) == n and name[2] == "post", f"{folder}: {shots[0]} is the frame after action {n}")
        picture(os.path.join(folder, shots[0]))
        picture(os.path.join(folder, shots[0].replace("_post.", "_pre.")))
        require(any(e["observation_type"] == "environment" and e["screenshot_path"] == shots[0].replace("_post.", "_pre.") for e in pre), f"{folder}: action {n} has no frame before it")
        arguments = action["content"]["arguments"]
        require(action["action_name"] == action["content"]["action"] == arguments["action"] and "thoughts" in arguments, f"{folder}: action {n} has two names, or no thoughts")
        require(action["llm_conversation"]["messages"], f"{folder}: action {n} has no reply")
    return len(steps)


def grouped(folder, events):
    """Steps as readers group events: what names no action belongs to the next one."""
    require(events and events[0].get("message_type") == "task", f"{folder}: it does not begin with the task")
    steps, waiting, ids = [], [], {}
    for e in events:
        require(e["id"] not in ids, f"{folder}: two events are called {e['id']}")
        ids[e["id"]] = len(steps)
        if e["type"] == "action":
            require(waiting or not steps, f"{folder}: two actions without an observation between them")
            steps.append((waiting, e, []))
            waiting = []
        elif e.get("action_id") is None:
            require(e["observation_type"] != "user_message" or e["message_type"] in MESSAGES, f"{folder}: a message of type {e.get('message_type')}")
            waiting.append(e)
        else:
            require(steps and steps[-1][1]["id"] == e["action_id"], f"{folder}: an observation of an action that is not the last")
            steps[-1][2].append(e)
    require(not steps or not waiting, f"{folder}: a step without an action stands at the end")
    return steps


def webvoyager(folder):
    """WebVoyager: the task in the second message, the answer in the last."""
    messages = load(folder, "interact_messages.json")
    task = re.search(r"Now given a task:(.+?)Please interact with", messages[1]["content"][0]["text"])
    require(task and task[1].strip(), f"{folder}: no task in the second message")
    last = messages[-1]["content"]
    if isinstance(last, str) and "Action: ANSWER" in last:
        require(re.search(r"ANSWER[; ]+\[?(.[^\]]*)\]?", last), f"{folder}: no answer in the last message")
    numbered(folder, r"screenshot(\d+)\.png", 1)
    require(os.path.isfile(os.path.join(folder, "agent.log")), f"{folder}: no agent.log")
    return sum(m["role"] == "assistant" for m in messages)


def mind2web(folder):
    """Online-Mind2Web: result.json and numbered pictures."""
    result = load(folder, "result.json")
    for key, kind in (("task_id", str), ("task", str), ("final_result_response", str), ("action_history", list), ("thoughts", list)):
        require(isinstance(result.get(key), kind), f"{folder}: {key} is {result.get(key)!r}")
    require(len(result["thoughts"]) - len(result["action_history"]) in (0, 1), f"{folder}: actions and thoughts do not go together")
    shots = numbered(os.path.join(folder, "trajectory"), r"(\d+)_screenshot\.png", 0)
    require(shots - len(result["thoughts"]) in (0, 1), f"{folder}: {shots} pictures of {len(result['thoughts'])} actions")
    return len(result["action_history"])


def numbered(folder, pattern, first):
    found = sorted(int(m[1]) for m in (re.fullmatch(pattern, name) for name in os.listdir(folder)) if m)
    require(found == list(range(first, first + len(found))), f"{folder}: the pictures' numbers are {found}")
    for name in os.listdir(folder):
        if re.fullmatch(pattern, name):
            picture(os.path.join(folder, name))
    return len(found)


READERS = {"datapoint": datapoint, "webvoyager": webvoyager, "mind2web": mind2web}
