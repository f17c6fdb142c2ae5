import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { type ItemMetadata, withMetadata } from "../item-metadata.ts";

/** Between the sections of a summary, which are paragraphs of their own. */
export const SECTION_BREAK = "\n\n";

/** A reasoning item. What may be read of it is its summary, or what was thought itself, where a model shows that. */
export function reasoningPart(item: Fields, before: Pick<ItemMetadata, "reasoningId">): ContentPart {
  const { type: _, encrypted_content: encrypted, ...rest } = item;
  const text = textsIn(rest["summary"]) || textsIn(rest["content"]);
  const isEncrypted = typeof encrypted === "string" && encrypted !== "";
  const kept = isEncrypted || encrypted === undefined ? rest : { ...rest, encrypted_content: encrypted };
  return {
    type: "reasoning",
    ...(text === "" ? {} : { text }),
    ...(isEncrypted ? { encrypted } : {}),
    ...withMetadata({ item: kept, ...before }),
  };
}

const textsIn = (sections: unknown): string =>
  listOf(sections)
    .map((section) => fieldsOf(section)["text"])
    .filter((text) => typeof text === "string")
    .join(SECTION_BREAK);
