import { lazy } from "@jaf/memory/adapter";
import * as z from "zod";
import type { FactStatus, Trust } from "../fact.ts";
import { checkInput, dateSchema } from "./incoming.ts";
import { trustSchema } from "./remember-input.ts";

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 10;
const ALL: readonly FactStatus[] = ["active", "quarantined", "superseded"];

/** What nobody wrote is found nowhere; it is no error to ask for it. */
const tags = lazy(() => z.array(z.string()).readonly().optional());
const status = lazy(() =>
  z.enum(["active", "quarantined", "superseded"] as const satisfies readonly FactStatus[]),
);

const recallSchema = lazy(() =>
  z
    .strictObject({
      limit: z.int().min(0).default(DEFAULT_LIMIT),
      tags: tags(),
      asOf: dateSchema().optional(),
      minTrust: trustSchema().default("inferred"),
    })
    .prefault({}),
);

const listSchema = lazy(() =>
  z
    .strictObject({
      limit: z.int().min(0).optional(),
      tags: tags(),
      status: z.union([status(), z.array(status()).readonly()]).default("active"),
    })
    .prefault({}),
);

export interface ReadRecall {
  readonly limit: number;
  readonly tags: readonly string[] | undefined;
  readonly asOf: number;
  /** Nobody asked for what held at another time. */
  readonly isNow: boolean;
  readonly minTrust: Trust;
}

export function readRecall(options: unknown, now: number): ReadRecall {
  const { limit, asOf, ...rest } = checkInput("recall", recallSchema(), "options", options);
  const isNow = asOf === undefined || Number.isNaN(asOf);
  return { ...rest, tags: rest.tags, limit: Math.min(limit, MAX_LIMIT), asOf: isNow ? now : asOf, isNow };
}

export interface ReadList {
  readonly limit: number;
  readonly tags: readonly string[] | undefined;
  readonly statuses: readonly FactStatus[];
}

export function readList(operation: string, options: unknown): ReadList {
  const { limit = Number.POSITIVE_INFINITY, ...rest } = checkInput(
    operation,
    listSchema(),
    "options",
    options,
  );
  const wanted = typeof rest.status === "string" ? [rest.status] : rest.status;
  return { limit, tags: rest.tags, statuses: ALL.filter((one) => wanted.includes(one)) };
}
