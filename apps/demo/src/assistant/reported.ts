const VERB =
  "(?:says?|said|saying|states?|stated|stating|reads?|writes?|wrote|writing|claims?|claimed|claiming|reports?|reported|mentions?|mentioned|tells?|told|announces?|announced|repl(?:y|ies|ied)|answer(?:s|ed)|ask(?:s|ed)|shout(?:s|ed)|text(?:s|ed)|email(?:s|ed)|messaged|declares?|declared|insists?|insisted|explain(?:s|ed)|shows|displays|contains|goes|begins with|starts with|opens with|ends with|puts it|add(?:s|ed)|whisper(?:s|ed)|yell(?:s|ed)|post(?:s|ed)|tweet(?:s|ed)|prints|returns|outputs|thinks?|thought|believes?|assumes?|suggests?|pretends?)";
const SOURCE =
  "(?:(?:web|home)? ?page|web ?site|site|web|internet|e-?mails?|mail|letter|message|text|article|book|blog|post|tweet|document|doc|file|pdf|log|readme|manual|transcript|script|novel|poem|lyrics|song|quot(?:e|ation)|review|report|form|profile|bio|caption|comment|chat|dialogue|header|footer|screenshot|label|sign|card|wiki(?:pedia)?|newspaper|paper|paragraph|passage|excerpt|content|output|result|response|voicemail|recording|story|tale|character|attachment|prompt|example|translation|sentence|phrase|sample|snippet|clipboard|json|line|words|note from|advert|poster|sticker|badge)";
/** Whoever it is that says it, it isn't "I": of "I said" or "as I already told you" the user is the source. */
const SAID_BY_OTHERS = new RegExp(`\\b${VERB}\\b`, "gi");
const BY_THE_USER =
  /\b(?:i|we|i've|i'd|i'll|let me|i (?:want|wanted|have|would like|need) to|(?:can|should|may|must) i)(?:\s+(?:\w+ly|just|also|already|have|did|do|should|to|want|must|can|once|now|only)){0,3}\s*$/i;
/** The user tells of what they saw, not of themselves. */
const MET =
  /\b(?:i|we)(?:'ve|'d)?\s+(?:just\s+|have\s+|once\s+)?(?:read|heard|saw|seen|found|noticed|got|received|was told|were told|am told|copied|pasted)\b[^.!?\n]*$/i;
const ACCORDING = /\b(?:according to|as per|quoting)\s+(?!me\b|my\b)/i;
const FROM_SOURCE = new RegExp(`^\\W*(?:from|in|on|per|via|as per)\\s+(?:\\w+\\s+){0,3}${SOURCE}s?\\b`, "i");
const SOURCE_IS = new RegExp(`\\b${SOURCE}s?\\b[^.!?\\n]{0,40}?(?:\\b(?:is|was|are|were)|:|-|–)\\s*$`, "i");
const SOURCE_NAMED = new RegExp(
  `\\b(?:the|this|that|following)\\s+(?:\\w+\\s+)?(?:${SOURCE})s?[ :,]+(?:that\\s+)?$`,
  "i",
);
/** Work on a text, or a case that is only thought of. */
const TASK =
  /^\W*(?:(?:please|pls|can you|could you|would you|and|now|hi|hello)[ ,]+){0,3}(?:translate|summari[sz]e|proofread|shorten|rewrite|rephrase|paraphrase|repeat|explain|correct|spell|say|print|type|check|quote|read|parse|analy[sz]e)\b/i;
const SUPPOSED =
  /\b(?:if|suppose|supposing|imagine|pretend|assume|assuming|unless|what if|let's say|as if|whether|is it true|how do (?:you|i) say|what does)\b[^.!?\n]*$/i;
/** `Eve: …`, a speaker of a dialogue; not what announces the user's own words. */
const SPEAKER = /^\W*(?:[\p{Lu}][\p{L}'-]+)(?:\s[\p{Lu}][\p{L}'-]+)?\s*:\s*$/u;
const OWN_LABEL =
  /^\W*(?:note|fyi|ps|p\.s|hi|hello|hey|remember|reminder|update|correction|info|fact|facts|please|ok|okay|so|well|btw|me|also|yes|no|intro|introduction|name)\b/i;
/** Said behind it: "…, she said", "…, says the page", "… – that is what the page claims". */
const AFTERWARDS = new RegExp(
  `[,–—-]\\s*(?:(?:${VERB})\\s+(?:the|an?|this|that|she|he|it|they|one|my|our|her|his|[A-Z])|(?:it|she|he|they|the\\s+\\w+|everyone|somebody|someone|${SOURCE})\\s+${VERB}\\b|(?:that|this|so|which)(?:'s|\\s+is)?\\s+(?:what|how)\\b[^.!?]*\\b${VERB}\\b|or so\\b)`,
  "i",
);

/** Whether what stands in a sentence between `before` and `after` is told as somebody else's words, or isn't claimed at all. */
export function isReported(before: string, after: string): boolean {
  const lead = before.trimEnd() === "" ? "" : `${before.trimEnd()} `;
  return (
    isSaidByOthers(lead) ||
    [MET, ACCORDING, FROM_SOURCE, TASK, SUPPOSED, SOURCE_NAMED].some((form) => form.test(lead)) ||
    SOURCE_IS.test(lead) ||
    (SPEAKER.test(lead) && !OWN_LABEL.test(lead)) ||
    ACCORDING.test(after) ||
    AFTERWARDS.test(after)
  );
}

/** The nearest source counts: of "the page says hello, but I say" it is the user. */
function isSaidByOthers(lead: string): boolean {
  const last = [...lead.matchAll(SAID_BY_OTHERS)].at(-1);
  return last !== undefined && !BY_THE_USER.test(lead.slice(0, last.index));
}
