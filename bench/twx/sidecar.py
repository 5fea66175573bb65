"""Plays TextWorldExpress (textworld-express 1.1.0) over JSON lines: one request a line on stdin, one answer a line on stdout.

{"do": "reset", "game": "cookingworld", "params": "numLocations=3", "seed": 1, "fold": "train", "gold": true}
{"do": "step", "action": "read cookbook"}

Answers: {"task", "observation", "look" (the place as it is now), "valid" (sorted, each once), "score" (0 to 1), "won", "lost"}, and "gold" (the game's own
solution) where a reset asked for it; {"error": ...} for a request that can't be done. Ends when stdin does.
"""

import json
import os
import sys

# What the Java side prints must not come between the answers.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from textworld_express import TextWorldExpressEnv  # noqa: E402

# The engine's own limit of steps is out of the way: whoever plays counts.
ENDLESS = 1_000_000


def told(infos):
    return {
        "task": infos["taskDescription"],
        "observation": infos["observation"],
        "look": infos["look"],
        "valid": sorted(set(infos["validActions"])),
        "score": infos["score"],
        "won": infos["tasksuccess"],
        "lost": infos["taskfailure"],
    }


def answer(world, request):
    if request["do"] == "reset":
        gold = request.get("gold", False)
        _, infos = world.reset(
            seed=request["seed"],
            gameFold=request["fold"],
            gameName=request["game"],
            gameParams=request["params"],
            generateGoldPath=gold,
        )
        return {**told(infos), **({"gold": world.getGoldActionSequence()} if gold else {})}
    if request["do"] == "step":
        _, _, _, infos = world.step(request["action"])
        return told(infos)
    raise ValueError(f"there is no {request['do']!r}: reset or step")


def main():
    world = TextWorldExpressEnv(envStepLimit=ENDLESS)
    try:
        for line in sys.stdin:
            try:
                said = answer(world, json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                said = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(said), file=ANSWERS, flush=True)
    finally:
        world.close()


main()
