import type { Durability } from "@jaf/core";
import type { Crash } from "../crash/saboteur.ts";

/** A fault at one of an operation's external calls. */
export interface Strike {
  /** The number of the call, from 1. */
  readonly at: number;
  readonly crash: Extract<
    Crash,
    "killed before" | "killed after" | "killed, done late" | "fails" | "fails after"
  >;
}

/** Conversations and users by their index in the program. */
interface On {
  readonly conversation: number;
  readonly strike?: Strike;
}

interface By {
  /** Absent: no owner. */
  readonly user?: number;
}

export type Operation =
  | (On &
      By & {
        readonly kind: "append";
        readonly size: number;
        /** Whether it creates a missing conversation. */
        readonly creates: boolean;
        readonly identity: "none" | "idempotency key" | "message ids";
        /** How often the same write is made, one after the other. More than once only with an identity. */
        readonly times: number;
        readonly maxMessages?: number;
      })
  | (On & By & { readonly kind: "store"; readonly size: number; readonly expects: boolean })
  | (On & { readonly kind: "delete" })
  | (Pick<On, "strike"> & { readonly kind: "clear"; readonly user: number })
  | (On & { readonly kind: "export" })
  /** Imports this worker's latest export. */
  | (On & { readonly kind: "import"; readonly expects: boolean })
  /** Removes messages from the end, and adds `size` new ones. */
  | (On & {
      readonly kind: "pop";
      readonly count: number;
      readonly by: "dropLast" | "storeMessages";
      readonly size: number;
    })
  | (On & { readonly kind: "rename" })
  | (On & { readonly kind: "increment" })
  | (On & { readonly kind: "read"; readonly how: "whole" | "part" | "recent" | "found" })
  | (On &
      By & {
        readonly kind: "run";
        readonly durability: Durability;
        readonly concurrency: "reject" | "queue";
        /** The number of replies with a tool call before the final one. */
        readonly toolTurns: number;
        /** The ticks that each reply takes. */
        readonly modelTicks: number;
        /** How often the same state is run, one after the other. */
        readonly times: number;
      });

/** Several workers that run at the same time. Each runs its operations one after the other. */
export interface Program {
  readonly seed: number;
  readonly conversationIds: readonly string[];
  readonly userIds: readonly string[];
  readonly workers: readonly (readonly Operation[])[];
}

export type OperationOf<Kind extends Operation["kind"]> = Extract<Operation, { readonly kind: Kind }>;
