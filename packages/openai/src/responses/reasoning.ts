import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { type InputItem, type ItemMetadata, withMetadata } from "./items.ts";

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

/** An output item on its way back to its own model. */
export interface ReplayItem {
  readonly item: InputItem;
  /** The id of the reasoning item that has to stand directly before. */
  readonly reasoningId?: string | undefined;
}

export interface PairingContext {
  /** Whether the service has the items, so that reasoning without its content is found by its id. */
  readonly isStored: boolean;
  /** Whether reasoning that may be read goes back, too: endpoints other than OpenAI's encrypt nothing. */
  readonly takesReadable: boolean;
  /** The ids of the items that the request holds so far: an id may be there once. */
  readonly sentIds: Set<string | undefined>;
}

/**
 * The items of a reply that the service takes back. Reasoning goes back with its content and directly before the item that
 * it was thought for. Where it can't, that item goes without its id, which asks for the reasoning, and so do those behind;
 * one that is nothing without its id is left out, as is a call that nobody has answered: JAF runs no such tool.
 */
export function pairedItems(items: readonly ReplayItem[], context: PairingContext): readonly InputItem[] {
  const answered = new Set(items.flatMap(({ item }) => (isOutput(item) ? [item["call_id"]] : [])));
  const sent: InputItem[] = [];
  const add = (item: InputItem): void => {
    sent.push(item);
    const id = idOf(item);
    if (id !== undefined) context.sentIds.add(id);
  };
  let thoughts: InputItem[] = [];
  let isBroken = false;
  for (const { item, reasoningId } of items) {
    if (item["type"] === "reasoning") {
      // What the thoughts before were for is gone.
      if (idOf(thoughts.at(-1)) !== reasoningId) {
        isBroken = true;
        thoughts = [];
      }
      thoughts.push(item);
      continue;
    }
    const isOpen = isOtherCall(item) && !answered.has(item["call_id"]);
    const isWhole =
      !isOpen &&
      idOf(thoughts.at(-1)) === reasoningId &&
      thoughts.every((thought) => isSendable(thought, context)) &&
      [...thoughts, item].every((each) => !context.sentIds.has(idOf(each)));
    if (isWhole) thoughts.forEach(add);
    else isBroken = true;
    const given = isWhole && (thoughts.length > 0 || !isBroken) ? item : withoutId(item, isWhole);
    if (given !== undefined && !isOpen) add(given);
    thoughts = [];
  }
  return sent;
}

const idOf = (item: InputItem | undefined): string | undefined =>
  typeof item?.["id"] === "string" ? item["id"] : undefined;

/** By a name that OpenAI gives all of them. */
const isOutput = ({ type }: InputItem): boolean => typeof type === "string" && type.endsWith("_call_output");

/** Of a tool that somebody else than JAF and the service would have to run. */
const isOtherCall = ({ type, call_id }: InputItem): boolean =>
  typeof call_id === "string" && typeof type === "string" && type.endsWith("_call") && !WITHOUT_ID.has(type);

const isSendable = (item: InputItem, { isStored, takesReadable }: PairingContext): boolean => {
  const encrypted = item["encrypted_content"];
  if (typeof encrypted === "string" && encrypted !== "") return true;
  if (isStored && typeof item["id"] === "string") return true;
  return takesReadable && (listOf(item["content"]).length > 0 || listOf(item["summary"]).length > 0);
};

/** Items that say everything without their ids. */
const WITHOUT_ID: ReadonlySet<unknown> = new Set(["message", "function_call", "custom_tool_call"]);

/** `isWhole`: nothing that it needs is missing. */
function withoutId(item: InputItem, isWhole: boolean): InputItem | undefined {
  if (!WITHOUT_ID.has(item["type"])) return isWhole ? item : undefined;
  const { id: _, ...rest } = item;
  return rest;
}
