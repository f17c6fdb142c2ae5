import {
  createFailure,
  createMemoryConnectionError,
  type MemoryProvider,
  type Message,
  type Result,
  type WriteMetadata,
} from "@jaf/memory";
import * as z from "zod";
import type { Ledger } from "./ledger.ts";
import { type Mortal, type Point, StoreUnreachable } from "./saboteur.ts";

export interface WatchedStoreOptions {
  readonly store: MemoryProvider;
  readonly ledger: Ledger;
  readonly mortal: Mortal;
}

/**
 * The store as a process reaches it. Signs of life, and the looks that follow them, are a timer's, which no run waits
 * for: were they counted, the points of a run would depend on the clock.
 */
export function watchStore({ store, ledger, mortal }: WatchedStoreOptions): MemoryProvider {
  let signGiven = false;
  return {
    ...store,
    getConversation: (id) =>
      settle(() => mortal.call({ label: "load", on: "read" }, () => store.getConversation(id))),
    findConversations: (query) => {
      const ofSign = signGiven;
      signGiven = false;
      const look = () => store.findConversations(query);
      return settle(() =>
        ofSign ? mortal.callUncounted(look) : mortal.call({ label: "look", on: "read" }, look),
      );
    },
    appendMessages: async (...args) => {
      const [, messages, metadata, options] = args;
      const append = () => store.appendMessages(...args);
      if (isSignOfLife(messages, metadata)) {
        const given = await settle(() => mortal.callUncounted(append));
        signGiven = given.success;
        return given;
      }
      const point: Point = { label: labelOf(messages, options?.idempotencyKey ?? ""), on: "write" };
      const result = await settle(() => mortal.call(point, append));
      if (result.success) ledger.note({ type: "acknowledged", messages });
      return result;
    },
  };
}

async function settle<T>(action: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await action();
  } catch (thrown) {
    if (!(thrown instanceof StoreUnreachable)) throw thrown;
    return createFailure(createMemoryConnectionError("test"));
  }
}

const signSchema = z.object({
  jaf: z.object({ turn: z.object({ sign: z.number().min(2), until: z.number().min(1) }) }),
});

/** The first note of a turn takes it, and the last says that it is over; those between are signs of life. */
const isSignOfLife = (messages: readonly Message[], metadata: WriteMetadata | undefined): boolean =>
  messages.length === 0 && signSchema.safeParse(metadata).success;

const CLAIMS = /^(turn|summary):/;

const kindOf = ({ role, tool_calls: calls }: Message): string =>
  role === "assistant" ? (calls === undefined ? "reply" : "calls") : role;

function labelOf(messages: readonly Message[], key: string): string {
  if (messages.length > 0) return `append ${messages.map(kindOf).join(", ")}`;
  const [, claimed] = CLAIMS.exec(key) ?? [];
  return `note ${claimed ?? "end of turn"}`;
}
