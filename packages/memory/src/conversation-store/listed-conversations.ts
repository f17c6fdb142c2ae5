import * as z from "zod";
import type { JsonObject } from "../codec/json.ts";
import { schemaIssues } from "../codec/schema-issues.ts";
import { createMemoryStorageError } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { ConversationStoreError } from "./store-error.ts";

// Databases say `null` or an empty text where there is nothing.
const text = lazy(() =>
  z
    .string()
    .nullish()
    .transform((value) => value || undefined),
);

const time = lazy(() =>
  z
    .union([z.date(), z.string(), z.number()], { error: "expected a Date" })
    .nullish()
    .transform((value) => {
      const date = new Date(value ?? Number.NaN);
      return Number.isNaN(date.getTime()) ? undefined : date;
    }),
);

const listSchema = lazy(() =>
  z.array(
    z.object({
      id: z.string().min(1),
      title: text(),
      userId: text(),
      agent: text(),
      resourceSlug: text(),
      recordId: text(),
      createdAt: time(),
      updatedAt: time(),
    }),
  ),
);

export type ListedConversation = z.output<ReturnType<typeof listSchema>>[number];

/** Title and meta, under the names that a store over a provider keeps them as. */
export function listedMetadata(listed: ListedConversation): JsonObject {
  const { title, agent, resourceSlug, recordId } = listed;
  const fields = Object.entries({ title, agent, resourceSlug, recordId });
  return Object.fromEntries(fields.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Throws {@link ConversationStoreError} for what is no listing. */
export function parseListing(listing: unknown): readonly ListedConversation[] {
  const parsed = listSchema().safeParse(listing);
  if (parsed.success) return parsed.data;
  const [issue] = schemaIssues(parsed.error);
  const reason = `the conversation store's list() returned no listing: entries${issue?.path}: expected ${issue?.expected}`;
  throw new ConversationStoreError(
    createMemoryStorageError("list", reason, { provider: "conversation-store" }),
  );
}
