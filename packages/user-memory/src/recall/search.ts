import type { UserKey } from "../backend/backend.ts";
import { openEmbedding } from "../embedding.ts";
import type { StoreScope } from "../scope.ts";
import { type RecallInput, recallFacts } from "./find-facts.ts";

interface SearchFor {
  readonly operation: string;
  readonly input: RecallInput;
}

/** Finds facts in the store, by words and, with `embed`, by meaning. Rejects with `UserMemoryError`. */
export function search({ access, settings }: StoreScope, user: UserKey, { operation, input }: SearchFor) {
  const { backend } = access;
  const vectorOf = openEmbedding(settings, operation);
  const { maxSourceShare } = settings.limits;
  return access.ask(operation, () => recallFacts({ backend, user, vectorOf, maxSourceShare }, input));
}
