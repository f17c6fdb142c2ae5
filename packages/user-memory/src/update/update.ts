import type { UserKey } from "../backend/backend.ts";
import { openEmbedding } from "../embedding.ts";
import type { UserFact } from "../fact.ts";
import { digestsFor, isFactId, type StoreScope, shownOrNull } from "../scope.ts";
import { readUpdate, updateWrite } from "./write.ts";

export async function update(
  scope: StoreScope,
  user: UserKey,
  { factId, changes }: { readonly factId: unknown; readonly changes: unknown },
): Promise<UserFact | null> {
  const { access, settings } = scope;
  const read = readUpdate(changes, settings.limits);
  if (!isFactId(factId)) return null;
  return access.during(user, async ({ begin, write }) => {
    const text = settings.embed === undefined ? undefined : read.fact;
    if (text !== undefined) await begin();
    const vector = text === undefined ? null : await openEmbedding(settings, "update")(text);
    const digests = digestsFor(scope, user);
    return shownOrNull(user, await write(updateWrite({ factId, changes: read, digests, vector })));
  });
}
