import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { CUSTOM_CALL, type InputItem, type ItemMetadata, withMetadata } from "./items.ts";

/** Separates the sections of a summary, each of which is a paragraph. */
export const SECTION_BREAK = "\n\n";

/** A reasoning part from a reasoning item. Its text is the summary, or the reasoning itself if the model shows it. */
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

/** An output item to send back to its own model. */
export interface ReplayItem {
  readonly item: InputItem;
  /** What is sent in its place if it can't be sent without its id. */
  readonly plain?: InputItem;
  /** Whether it is a call or an output of the service's own. It goes as it came, or not at all. */
  readonly isServices?: boolean;
  /** The id of the reasoning item that must come directly before. */
  readonly reasoningId?: string | undefined;
}

export interface PairingContext {
  /** Whether the service stores the items, and so finds reasoning by its id. */
  readonly isStored: boolean;
  /** Whether readable reasoning is sent back, too: endpoints other than OpenAI's don't encrypt it. */
  readonly takesReadable: boolean;
  /** The ids of items in the request so far: each id is allowed once. */
  readonly sentIds: Set<string | undefined>;
}

/**
 * Returns the items of a reply that the service accepts. Reasoning is sent with its content, directly before its item. If
 * that isn't possible, this item and all later ones are sent without their ids, because an id requires the reasoning.
 * Items that need their id are left out, or sent in their plain form.
 */
export function pairedItems(items: readonly ReplayItem[], context: PairingContext): readonly InputItem[] {
  const sent: InputItem[] = [];
  const add = (item: InputItem): void => {
    sent.push(item);
    const id = idOf(item);
    if (id !== undefined) context.sentIds.add(id);
  };
  let thoughts: InputItem[] = [];
  let isBroken = false;
  for (const each of items) {
    const { item, reasoningId } = each;
    if (item["type"] === "reasoning") {
      // The item of the earlier reasoning is missing.
      if (idOf(thoughts.at(-1)) !== reasoningId) {
        isBroken = true;
        thoughts = [];
      }
      thoughts.push(item);
      continue;
    }
    const isWhole =
      idOf(thoughts.at(-1)) === reasoningId &&
      thoughts.every((thought) => isSendable(thought, context)) &&
      [...thoughts, item].every((sendable) => !context.sentIds.has(idOf(sendable)));
    if (isWhole) thoughts.forEach(add);
    else isBroken = true;
    const given = isWhole && (thoughts.length > 0 || !isBroken) ? item : withoutId(each, isWhole);
    if (given !== undefined) add(given);
    thoughts = [];
  }
  return sent;
}

/** The id of an item. Some endpoints leave it empty. */
export const idOf = (item: InputItem | undefined): string | undefined =>
  typeof item?.["id"] === "string" && item["id"] !== "" ? item["id"] : undefined;

/** OpenAI's types of outputs all end like this. */
export const isOutput = ({ type }: InputItem): boolean =>
  typeof type === "string" && type.endsWith("_output");

const isSendable = (item: InputItem, { isStored, takesReadable }: PairingContext): boolean => {
  const encrypted = item["encrypted_content"];
  if (typeof encrypted === "string" && encrypted !== "") return true;
  if (isStored && typeof item["id"] === "string") return true;
  return takesReadable && (listOf(item["content"]).length > 0 || listOf(item["summary"]).length > 0);
};

/** Types of items that are complete without their ids. */
const WITHOUT_ID: ReadonlySet<unknown> = new Set(["message", "function_call", CUSTOM_CALL]);

/** `isWhole`: the item's reasoning is complete. */
function withoutId({ item, plain, isServices }: ReplayItem, isWhole: boolean): InputItem | undefined {
  if (isServices === true || !WITHOUT_ID.has(item["type"])) return isWhole ? item : plain;
  const { id: _, ...rest } = item;
  return rest;
}
