import type { UserKey } from "../backend/backend.ts";
import type { UserFact } from "../fact.ts";
import { forgetWrite } from "../rules/forget.ts";
import { approveWrite } from "../rules/review.ts";
import { openEmbedding } from "../search/embedding.ts";
import { digestsFor, findFact, isFactId, type StoreScope, shownOrNull } from "./scope.ts";

export async function approve(scope: StoreScope, user: UserKey, factId: unknown): Promise<UserFact | null> {
  const operation = "review.approve";
  const waiting = await findFact(scope, { user, operation, factId });
  if (waiting?.status !== "quarantined") return null;
  return scope.access.during(user, async ({ write }) => {
    const vector = await openEmbedding(scope.settings, operation)(waiting.fact);
    return shownOrNull(user, await write(approveWrite({ waiting, vector })));
  });
}

export async function reject(scope: StoreScope, user: UserKey, factId: unknown): Promise<boolean> {
  if (!isFactId(factId)) return false;
  const digests = digestsFor(scope, user);
  const { facts } = await scope.access.during(user, ({ write }) =>
    write(forgetWrite({ factId, digests, rejects: true })),
  );
  return facts > 0;
}
