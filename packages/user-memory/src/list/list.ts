import type { StoredFact, UserKey } from "../backend/backend.ts";
import type { UserFact } from "../fact.ts";
import { type StoreScope, shown } from "../scope.ts";
import { type ReadList, readList } from "./options.ts";

const PAGE = 500;

export async function list(
  scope: StoreScope,
  user: UserKey,
  { operation, options }: { readonly operation: string; readonly options: unknown },
): Promise<UserFact[]> {
  const facts = await listStored(scope, user, { operation, ...readList(operation, options) });
  return facts.map((fact) => shown(user, fact));
}

/** Reads a page at a time, so that no list holds up a server. */
export async function listStored(
  { access }: StoreScope,
  user: UserKey,
  { operation, statuses, tags, limit }: ReadList & { readonly operation: string },
): Promise<readonly StoredFact[]> {
  const facts: StoredFact[] = [];
  let before: number | undefined;
  while (facts.length < limit) {
    const pageSize = tags === undefined ? Math.min(PAGE, limit - facts.length) : PAGE;
    const page = await access.ask(operation, () =>
      access.backend.list(user, { statuses, before, limit: pageSize, brief: true }),
    );
    facts.push(...page.filter((fact) => tags === undefined || fact.tags.some((tag) => tags.includes(tag))));
    before = page.at(-1)?.seq;
    if (page.length < pageSize) break;
  }
  return facts.slice(0, limit);
}
