import { asUserMemory, type ExtractionOptions, type UserMemoryStore } from "@jaf/user-memory";
import { sentencesIn } from "./statements.ts";

/** Short, because the demo's folder has one process at a time: it takes over a dead process's jobs after a second. */
export const extractionOptions = { leaseMs: 1_000, retryDelayMs: 1_000 } satisfies ExtractionOptions;

/** Replaces removed text. User memory ends a passage there, and quotes none that contains it. */
const CUT = "\ufffc";
const OPENING = String.raw`^\s*(?:(?:so|and|now|please|hey),? )?(?:(?:can|could|would|will) you (?:please )?)?`;
/** Matches a message that is only an order, including the order's content. */
const ORDER = new RegExp(
  `${OPENING}(?:(?:(?:take|add|make) a )?note:|keep this page:|(?:send an e-?mail|translate|summari[sz]e)\\b)`,
  "i",
);
const ASKING =
  "what|who|when (?:is|are|was|were|do|does|did)|where|why|how|which|tell|show|list|give|help|write|explain|forget|clear|remind|set an? (?:timer|alarm)|delete (?:my )?notes?|calculate|(?:can|could|would|will|do|are) you";
const ASKS = new RegExp(String.raw`[?？؟]["'”’»)\]]*$|${OPENING}(?:${ASKING})\b`, "i");
const FIRST_PERSON =
  /(?<!\p{L})(?:i|i['’]\p{L}+|my|me|mine|we|we['’]\p{L}+|our|us|ich|mein\p{L}*|mich|mir|wir|unser\p{L}*|je|j['’]\p{L}+|moi|nous|yo|soy|vivo|tengo|io|mio|sono|eu|meu|minha|sou|ik|mijn|jag)(?!\p{L})/iu;
const LONGEST_ANSWER = 80;

/** Matches a quotation, which can be other people's words. */
const QUOTED = /["“„][^"“”„]*["“”]/g;

function isStatement(sentence: string): boolean {
  const own = sentence.replaceAll(QUOTED, "");
  return !ASKS.test(sentence) && (FIRST_PERSON.test(own) || isOtherScript(own));
}

const isOtherScript = (sentence: string): boolean => !/[a-z]/i.test(sentence) && /\p{L}/u.test(sentence);

/** The part of a message that states something about the user; `""` without any. */
export function statedIn(text: string, isAnswer = false): string {
  if (isAnswer && text.length <= LONGEST_ANSWER && !ASKS.test(text.trim())) return text;
  if (ORDER.test(text)) return "";
  const sentences = sentencesIn(text);
  const stated = sentences.filter(isStatement);
  return stated.length === sentences.length ? text : stated.join(`\n${CUT}\n`);
}

/** Wraps a memory to keep questions and orders out of its queue, so nothing is learned from them. */
export function withOwnWordsOnly(store: UserMemoryStore): UserMemoryStore {
  const { queue } = store;
  return asUserMemory({
    ...asUserMemory(store),
    queue: {
      durable: queue.durable,
      enqueue: async (job, options) => {
        const said = job.said.map((text) => statedIn(text, job.question !== undefined));
        return said.every((text) => text === "") ? null : queue.enqueue({ ...job, said }, options);
      },
      lease: (options) => queue.lease(options),
      size: () => queue.size(),
    },
  });
}
