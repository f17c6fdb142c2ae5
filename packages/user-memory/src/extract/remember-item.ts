import { present } from "@jaf/memory/adapter";
import type { UserFact } from "../fact.ts";
import type { ExtractionJob } from "../queue/queue.ts";
import { INFERRED_TAG } from "../render/renderable-fact.ts";
import { statementOf } from "../render/statement.ts";
import type { RememberOptions } from "../store.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";
import { isStore } from "../user-memory-guards.ts";
import type { Item } from "./items-to-remember.ts";

/** So many tags a fact may have in every store. */
const MAX_TAGS = 32;
const MAX_NAME = 255;

/** The turn that something was said in. */
export interface Source
  extends Pick<ExtractionJob, "userId" | "conversationId" | "position" | "saidAt" | "tags" | "since"> {
  /** Who found it. */
  readonly extractor: string;
}

/** Remembers what was said: in a store of this package with all that is known of it. */
export const rememberItem = (
  memory: UserMemory,
  item: Item,
  source: Source,
): Promise<MemoryEntry | UserFact> =>
  isStore(memory)
    ? memory.remember(source.userId, textOf(item), optionsFor(item, source))
    : memory.remember(source.userId, ...narrowly(item, source));

const textOf = (item: Item): string => (item.kind === "quotation" ? item.passage.text : item.proposal.fact);

/** The spec's tags, where it has any, and no others: with another one, an agent of other tags would be told the fact. */
const tagsOf = ({ tags: own }: Source, tags: readonly string[] = []): string[] =>
  [...new Set(own.length > 0 ? own : tags)].slice(0, MAX_TAGS);

function optionsFor(item: Item, source: Source): RememberOptions {
  const { score, tags, key } = item.kind === "quotation" ? item : item.proposal;
  const message = item.kind === "quotation" ? item.passage.message : item.message;
  const { conversationId, position, saidAt, since, extractor } = source;
  return {
    ...trustOptions(item),
    score,
    tags: tagsOf(source, tags),
    ...present({ key }),
    since,
    provenance: {
      conversationId,
      position: position === undefined ? undefined : position + message,
      author: "user",
      extractor: extractor.slice(0, MAX_NAME),
      ...(item.kind === "quotation" ? {} : { evidence: item.evidence }),
      saidAt,
    },
  };
}

function trustOptions(item: Item): Pick<RememberOptions, "trust" | "quotation"> {
  if (item.kind !== "quotation") return { trust: item.kind === "verified" ? "inferred" : "external" };
  const { passage, question, paraphrases } = item;
  return { quotation: { from: passage.from, ...present({ question }), paraphrases } };
}

/** A store that keeps no quotations is given what would be shown of one. */
function narrowly(item: Item, source: Source): [string, { tags?: string[]; score?: number }] {
  const { score, tags } = item.kind === "quotation" ? item : item.proposal;
  const all = [...tagsOf(source, tags), ...(item.kind === "quotation" ? [] : [INFERRED_TAG])];
  const options = { ...present({ score }), ...(all.length === 0 ? {} : { tags: all }) };
  if (item.kind !== "quotation") return [item.proposal.fact, options];
  const { passage, question } = item;
  const quotation = { from: passage.from, ...present({ question }) };
  const said = { quotation, fact: passage.text, provenance: { saidAt: source.saidAt } };
  return [statementOf(said, { links: "keep", maxLength: passage.text.length + 1 }), options];
}
