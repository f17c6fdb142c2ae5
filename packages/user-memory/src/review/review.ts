import type { UserKey } from "../backend/backend.ts";
import { openEmbedding } from "../embedding.ts";
import type { UserFact } from "../fact.ts";
import { remove } from "../forget/forget.ts";
import { findFact, type StoreScope, shownOrNull } from "../scope.ts";
import { approveWrite } from "./write.ts";

export async function approve(scope: StoreScope, user: UserKey, factId: unknown): Promise<UserFact | null> {
  const operation = "review.approve";
  const embed = openEmbedding(scope.settings, operation);
  return scope.access.during(user, async ({ begin, write }) => {
    const [waiting] = await Promise.all([findFact(scope, { user, operation, factId }), begin()]);
    if (waiting?.status !== "quarantined") return null;
    const vector = await embed(waiting.fact);
    return shownOrNull(user, await write(approveWrite({ waiting, vector })));
  });
}

export async function reject(scope: StoreScope, user: UserKey, factId: unknown): Promise<boolean> {
  return (await remove(scope, user, { factId, rejects: true })).facts > 0;
}
