import type { Agent } from "@jaf/core";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import type { UserMemoryStore } from "@jaf/user-memory";
import type { UserLimits } from "./http/rate-limit.ts";
import type { ServerSettings } from "./options.ts";
import type { TurnService } from "./turns/turn-service.ts";

/** What the routes work with. */
export interface ServerParts {
  readonly settings: ServerSettings;
  readonly provider: VersionedMemoryProvider;
  readonly log: TurnLog;
  readonly service: TurnService;
  readonly userMemory: UserMemoryStore | undefined;
  /** By their names. */
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own context and output
  readonly agents: ReadonlyMap<string, Agent<any, any>>;
  readonly defaultAgent: string;
  readonly limits: UserLimits;
  /** Aborted when the server ends: streams end, and their clients come back. */
  readonly closing: AbortSignal;
  /** Tells the application what failed in the answer to a request. */
  readonly report: (thrown: unknown, requestId: string) => void;
}
