import type { UserFact } from "../fact.ts";
import { fold, tokenize } from "../ranker/index.ts";
import { isQuestion } from "../text.ts";
import { type MemoryFinding, toFinding } from "./report.ts";

/** Longer texts say something. */
const TEXT_LIMIT = 300;

/** Words of greetings, thanks, consent and the like. A text of only these states nothing. */
const SMALL_TALK = new Set(
  `hi hey hello there good morning afternoon evening night bye goodbye see you later ok okay k yes yeah yep no nope not
  sure fine great cool nice perfect awesome wow oh ah hmm haha hahaha lol thanks thank thx a lot so much very please go
  ahead continue proceed done sounds right to me i dont know idea never mind that it this is that's its wrong correct
  funny helped helps got works try again above below test testing asdf qwerty and but`.split(/\s+/),
);

/** Values that programs write where there is none. */
const EMPTY_VALUE =
  /^(?:null|undefined|nan|none|n\/a|na|\[object \w+\]|\{\}|\[\]|no (?:new |relevant )?(?:facts?|information|memor(?:y|ies))(?: (?:was |were )?(?:found|available|provided|extracted))?)\.?$/;

/** Sentences about the conversation instead of the user. */
const ABOUT_THE_CHAT =
  /^(?:the )?(?:user|human|customer|person) (?:has |have )?(?:just )?(?:said|says|asked|asks|greeted|greets|thanked|thanks|requested|requests|confirmed|confirms|agreed|agrees|replied|responded|initiated|started|ended|acknowledged|did not|didn't|hasn't|wants? help|needs? help|a question|(?:is )?(?:talking|chatting|speaking|asking|interested in the (?:topic|subject|conversation)|seeking (?:help|information)))\b|^(?:the )?(?:assistant|ai|chatbot|bot|model) (?:has )?(?:\w+ed|said|gave|told|wrote|made|suggests?|recommends?|provides?|offers?)\b|^(?:the|this) (?:conversation|chat|discussion) (?:is|was) (?:about|on)\b|^you are (?:a|an|the) (?:\w+ ){0,4}(?:assistant|agent|chatbot|bot|model)\b|^(?:system|assistant|user) ?:|^heartbeat\b/;

/** What such a sentence tells about the user after all: an object that isn't the conversation. */
const TELLS = /\b(?:that|to) (?:he|she|they|his|her|their|be|have|prefers?|likes?|wants?)\b/;

/** Requests about something that the text doesn't contain. */
const REQUEST =
  /^(?:please |can you |could you )?(?:translate|summari[sz]e|explain|rewrite|shorten|continue|repeat|fix|check|improve|show|read|send|write)\b.{0,80}\b(?:this|that|it|these|those|above|again)\b/;

/** Returns the finding for a fact that states nothing about the user. */
export function findJunk(fact: UserFact): MemoryFinding | undefined {
  const reason = reasonOf(fact);
  if (reason === undefined) return undefined;
  return toFinding({
    kind: "junk",
    facts: [fact],
    reason,
    remedy: { action: "forget", forget: [fact.id] },
  });
}

function reasonOf({ fact, quotation }: UserFact): string | undefined {
  // An answer that is short tells something with its question.
  if (quotation?.question !== undefined || fact.length > TEXT_LIMIT) return undefined;
  const text = fold(fact).trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return "It contains no word.";
  if (EMPTY_VALUE.test(text)) return "It is an empty value of a program.";
  if (isQuestion(fact)) return "It is a question and states nothing.";
  if (tokenize(text).every((word) => SMALL_TALK.has(word))) return "It is small talk.";
  if (ABOUT_THE_CHAT.test(text) && !TELLS.test(text))
    return "It is about the conversation and not about the user.";
  return REQUEST.test(text) ? "It is a request and states nothing." : undefined;
}
