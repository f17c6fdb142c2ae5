import { closeSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Mortal } from "../crash/saboteur.ts";
import { below, randomNumbers } from "../random.ts";
import type { HistoryEvent } from "./history.ts";
import { playWorker } from "./player.ts";
import { type FromWorker, type Play, toWorkerSchema } from "./process-messages.ts";
import { randomProgram } from "./random-program.ts";
import { openSharedStore, type SharedStore } from "./shared-store.ts";

/** A forked process that runs the operations of one worker of many programs, slice by slice. */

const say = (message: FromWorker): void => void process.send?.(message);

/** Kills this process at its `at`-th call. */
function killer({ kill }: Play): (mortal: Mortal) => Mortal {
  let calls = 0;
  const die = () => void process.kill(process.pid, "SIGKILL");
  return (mortal) => ({
    ...mortal,
    call: (point, action) => {
      calls += 1;
      const isDue = calls === kill?.at;
      if (isDue && kill?.after === false) die();
      return mortal.call(point, async () => {
        const value = await action();
        if (isDue) die();
        return value;
      });
    },
  });
}

async function play({ store }: SharedStore, task: Play): Promise<void> {
  const { seeds, worker, file, leaseMs, from } = task;
  const descriptor = openSync(file, "a");
  const watch = killer(task);
  await Promise.all(
    seeds.map((seed) => {
      const random = randomNumbers(seed * 31 + worker);
      // Written synchronously, so no event is lost when the process dies.
      const tell = (event: HistoryEvent) => void writeSync(descriptor, `${JSON.stringify([seed, event])}\n`);
      const start = from.find((one) => one.seed === seed);
      return playWorker({
        ...{ store, program: randomProgram(seed), worker, tell, leaseMs, watch },
        tick: () => sleep(1),
        travel: async () => void (random() < 0.2 && (await sleep(below(random, 3)))),
        ...(start === undefined ? {} : { from: start }),
      });
    }),
  );
  closeSync(descriptor);
}

let opened: SharedStore | undefined;

process.on("message", async (data) => {
  const message = toWorkerSchema.parse(data);
  if (message.kind === "open") {
    await opened?.close();
    opened = await openSharedStore(message.place);
    return say({ kind: "opened" });
  }
  if (opened === undefined) throw new Error("nothing was opened");
  await play(opened, message);
  say({ kind: "done" });
});
