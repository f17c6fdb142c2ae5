import type { Message } from "@jaf/memory";
import type { Middleware, MiddlewareTurn, TurnAddition } from "../../src/index.ts";

export interface Finished {
  readonly turn: MiddlewareTurn<unknown>;
  readonly reply: Message;
}

/** A middleware that records its arguments. */
export function recorder(addition?: TurnAddition, name = "recorder") {
  const started: MiddlewareTurn<unknown>[] = [];
  const finished: Finished[] = [];
  const middleware: Middleware<unknown> = {
    name,
    onStart: (turn) => {
      started.push(turn);
      return addition;
    },
    onFinish: (turn, reply) => {
      finished.push({ turn, reply });
    },
  };
  return { middleware, started, finished };
}
