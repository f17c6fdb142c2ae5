import * as z from "zod";
import type { StoredFact, UserKey } from "../backend.ts";
import type { FactStatus, UserFact } from "../fact.ts";
import { toUserFact } from "../facts/facts.ts";
import type { StoreScope } from "../transaction/transaction.ts";
import { checkInput, wantedTagsSchema } from "../validation.ts";

const PAGE = 500;

export async function list(
  scope: StoreScope,
  user: UserKey,
  { operation, options }: { readonly operation: string; readonly options: unknown },
): Promise<UserFact[]> {
  const facts = await listStored(scope, user, { operation, ...readList(operation, options) });
  return facts.map((fact) => toUserFact(user, fact));
}

/** Lists facts of a user, newest first. */
export async function listStored(
  { transactions }: StoreScope,
  user: UserKey,
  { operation, statuses, tags, limit }: ReadList & { readonly operation: string },
): Promise<readonly StoredFact[]> {
  // In pages, so that a long list doesn't block the backend.
  const facts: StoredFact[] = [];
  let before: number | undefined;
  while (facts.length < limit) {
    const pageSize = tags === undefined ? Math.min(PAGE, limit - facts.length) : PAGE;
    const page = await transactions.callBackend(operation, () =>
      transactions.backend.list(user, { statuses, before, limit: pageSize, brief: true }),
    );
    facts.push(...page.filter((fact) => tags === undefined || fact.tags.some((tag) => tags.includes(tag))));
    before = page.at(-1)?.seq;
    if (page.length < pageSize) break;
  }
  return facts.slice(0, limit);
}

const ALL: readonly FactStatus[] = ["active", "quarantined", "superseded"];

const status = z.enum(["active", "quarantined", "superseded"] as const satisfies readonly FactStatus[]);

const listSchema = z
  .strictObject({
    limit: z.int().min(0).optional(),
    tags: wantedTagsSchema,
    status: z.union([status, z.array(status).readonly()]).default("active"),
  })
  .prefault({});

interface ReadList {
  readonly limit: number;
  readonly tags: readonly string[] | undefined;
  readonly statuses: readonly FactStatus[];
}

function readList(operation: string, options: unknown): ReadList {
  const { limit = Number.POSITIVE_INFINITY, ...rest } = checkInput(operation, listSchema, "options", options);
  const wanted = typeof rest.status === "string" ? [rest.status] : rest.status;
  return { limit, tags: rest.tags, statuses: ALL.filter((one) => wanted.includes(one)) };
}
