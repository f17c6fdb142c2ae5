import { lazy } from "@jaf/memory/adapter";
import * as z from "zod";
import type { FactStatus } from "../fact.ts";
import { checkInput, wantedTagsSchema } from "../input/check-input.ts";

const ALL: readonly FactStatus[] = ["active", "quarantined", "superseded"];

const status = lazy(() =>
  z.enum(["active", "quarantined", "superseded"] as const satisfies readonly FactStatus[]),
);

const listSchema = lazy(() =>
  z
    .strictObject({
      limit: z.int().min(0).optional(),
      tags: wantedTagsSchema(),
      status: z.union([status(), z.array(status()).readonly()]).default("active"),
    })
    .prefault({}),
);

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
