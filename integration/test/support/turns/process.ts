import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import {
  type EndedTurn,
  fromWorkerSchema,
  type StoreCalls,
  type ToWorker,
  type TurnLoad,
} from "./messages.ts";

const worker = await bundleProcess(new URL("turn-worker.ts", import.meta.url));

/** A process that takes turns. */
export interface TurnProcess {
  readonly open: (load: TurnLoad) => Promise<void>;
  /** The number of its calls to the store; `undefined` if it was killed. Rejects if it ended unexpectedly. */
  readonly go: (onTurn: (turn: EndedTurn) => void) => Promise<StoreCalls | undefined>;
  readonly isAlive: () => boolean;
  readonly kill: () => Promise<void>;
}

export function startTurnProcess(): TurnProcess {
  const child = fork(worker, { execArgv: [] });
  const exit = once(child, "exit");
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  let killed = false;
  let onTurn: ((turn: EndedTurn) => void) | undefined;
  let onDone: ((calls: StoreCalls | undefined) => void) | undefined;

  child.on("message", (data) => {
    const message = fromWorkerSchema.parse(data);
    if (message.kind === "turn") onTurn?.(message);
    else onDone?.(message.kind === "done" ? message.calls : undefined);
  });

  async function ask(message: ToWorker): Promise<StoreCalls | undefined> {
    const done = new Promise<StoreCalls | undefined>((resolve) => {
      onDone = resolve;
    });
    child.send(message);
    const ended = exit.then(() => {
      if (!killed) throw new Error("a process that takes turns ended unexpectedly");
      return undefined;
    });
    return Promise.race([done, ended]);
  }

  return {
    open: async (load) => void (await ask({ kind: "open", load })),
    go: (listener) => {
      onTurn = listener;
      return ask({ kind: "go" });
    },
    isAlive,
    kill: async () => {
      killed = true;
      if (isAlive()) child.kill("SIGKILL");
      await exit;
    },
  };
}
