import * as z from "zod";
import type { ProposedFact } from "./options.ts";

/** In UTF-16 units: a longer reply is none that was asked for. */
const MAX_REPLY = 100_000;
/** Of one reply; what comes behind is dropped. */
const MAX_PROPOSED = 50;
const MAX_FACT = 500;
const MAX_EVIDENCE = 2_000;
const MAX_TAGS = 5;
const MAX_TAG = 40;

const proposalSchema = z.object({
  fact: z.string().trim().min(1).max(MAX_FACT),
  evidence: z.string().max(MAX_EVIDENCE).optional().catch(undefined),
  score: z.number().transform((score) => Math.min(1, Math.max(0, score))),
  tags: z
    .array(z.unknown())
    .transform((tags) => tags.flatMap((tag) => tagOf(tag)).slice(0, MAX_TAGS))
    .optional()
    .catch(undefined),
  key: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u)
    .optional()
    .catch(undefined),
});

const listSchema = z.union([
  z.object({ facts: z.array(z.unknown()) }).transform(({ facts }) => facts),
  z.array(z.unknown()),
]);

/** The user wants nothing kept: whatever else is proposed. */
const privateSchema = z.object({ private: z.literal(true) });

function tagOf(tag: unknown): readonly string[] {
  if (typeof tag !== "string") return [];
  const text = tag.trim();
  return text === "" || text.length > MAX_TAG ? [] : [text];
}

/** Why a reply can't be read. */
export class UnreadableReply extends Error {
  override readonly name = "UnreadableReply";
}

/** What is proposed, or that the user wants nothing of the turn kept. */
export type Proposed = readonly ProposedFact[] | "private";

/** What a reply proposes; also in a code fence or among prose. Throws {@link UnreadableReply}. */
export function parseReply(reply: string): Proposed {
  if (reply.length > MAX_REPLY) throw new UnreadableReply("It is too long.");
  for (const text of candidatesIn(reply)) {
    const proposals = readJson(text);
    if (proposals !== undefined) return proposals;
  }
  throw new UnreadableReply('It holds no JSON of the form {"facts": […]}.');
}

/** What is proposed, as far as it can be read: what is no proposal is left out. `undefined` where it is no list of them. */
export function readProposals(value: unknown): Proposed | undefined {
  if (privateSchema.safeParse(value).success) return "private";
  const list = listSchema.safeParse(value);
  if (!list.success) return undefined;
  return list.data.slice(0, MAX_PROPOSED).flatMap((item) => {
    const { data } = proposalSchema.safeParse(item);
    return data === undefined ? [] : [data];
  });
}

function candidatesIn(reply: string): readonly string[] {
  return [reply, ...fencedIn(reply), between(reply, "{", "}"), between(reply, "[", "]")];
}

/** What stands between a fence and the next one, without the name of its language. */
function fencedIn(reply: string): readonly string[] {
  const parts = reply.split("```");
  return parts
    .filter((_, index) => index % 2 === 1 && index < parts.length - 1)
    .map((inside) => inside.replace(/^[a-z]+/iu, ""));
}

function between(text: string, open: string, close: string): string {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close)];
  return start === -1 || end < start ? "" : text.slice(start, end + 1);
}

function readJson(text: string): Proposed | undefined {
  try {
    return readProposals(JSON.parse(text));
  } catch {
    return undefined;
  }
}
