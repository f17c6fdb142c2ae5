import {
  createFailure,
  createMemoryConnectionError,
  type Message,
  type Result,
  type VersionedMemoryProvider,
  type WriteMetadata,
} from "@jaf/memory";
import * as z from "zod";
import type { Ledger } from "./ledger.ts";
import { type Mortal, type Point, StoreUnreachable } from "./saboteur.ts";

export interface WatchedStoreOptions {
  readonly store: VersionedMemoryProvider;
  readonly ledger: Ledger;
  readonly mortal: Mortal;
}

/**
 * The store as a process accesses it. Heartbeats and their reads aren't counted: a timer makes them and no run waits for
 * them, so the crash points of a run would depend on the clock.
 */
export function watchStore({ store, ledger, mortal }: WatchedStoreOptions): VersionedMemoryProvider {
  let signRefused = false;
  return {
    ...store,
    readConversation: (id, options) => {
      const isLook = options?.messages === "none";
      const ofSign = isLook && signRefused;
      const read = () => store.readConversation(id, options);
      signRefused &&= !isLook;
      return settle(() =>
        ofSign
          ? mortal.callUncounted(read)
          : mortal.call({ label: isLook ? "look" : "load", on: "read" }, read),
      );
    },
    appendMessages: async (...args) => {
      const [, messages, metadata] = args;
      const append = () => store.appendMessages(...args);
      if (isHeartbeat(messages, metadata)) {
        const given = await settle(() => mortal.callUncounted(append));
        // If another process has written a lease first, a read of the head follows.
        signRefused = !given.success && given.error._tag === "MemoryConflictError";
        return given;
      }
      const point: Point = { label: labelOf(messages, metadata), on: "write" };
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

const heartbeatSchema = z.object({
  jaf: z.object({ lease: z.object({ sign: z.number().min(2), until: z.number().min(1) }) }),
});

/** The first write of a lease takes it, the last one releases it, and the others are heartbeats. */
const isHeartbeat = (messages: readonly Message[], metadata: WriteMetadata | undefined): boolean =>
  messages.length === 0 && heartbeatSchema.safeParse(metadata).success;

const endSchema = z.object({ jaf: z.object({ lease: z.object({ until: z.literal(0) }) }) });

const kindOf = ({ role, tool_calls: calls }: Message): string =>
  role === "assistant" ? (calls === undefined ? "reply" : "calls") : role;

function labelOf(messages: readonly Message[], metadata: WriteMetadata | undefined): string {
  if (messages.length > 0) return `append ${messages.map(kindOf).join(", ")}`;
  if (metadata?.["jaf"] === undefined) return "write summary";
  return endSchema.safeParse(metadata).success ? "release lease" : "hold lease";
}
