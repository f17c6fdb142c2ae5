/** What changes whether a sentence says that something is so. */
export type Operator =
  | "negated"
  | "ended"
  | "conditional"
  | "uncertain"
  | "intended"
  | "likes"
  | "dislikes"
  | "allergic";

const PATTERNS: Readonly<Record<Operator, readonly string[]>> = {
  negated: [
    "not|no|never|none|nobody|nothing|neither|nor|without|hardly|barely|rarely|seldom|except|cease[sd]?|refuse[sd]?|fail(?:s|ed)?",
    "nicht|kein\\p{L}*|nie|niemals|nichts|niemand|ohne|kaum|weder|außer",
    "ne|pas|jamais|sans|aucune?|rien|non|personne|sauf",
    "nunca|jamás|sin|ning[uú]n\\p{L}*|nada|nadie|tampoco|excepto",
    "mai|senza|não|nem|sem|niet|geen|nooit|zonder",
  ],
  ended: [
    "formerly|former|ex|previously|stopp?ed|quit|quitted|anymore|used to|no longer|gave up|given up",
    "früher\\p{L}*|ehemalig\\p{L}*|ehemals|aufgehört|nicht mehr",
    "ancien(?:ne)?|anciennement|arrêté|cessé|autrefois|ne plus",
    "antes|solía|dejé|dejado|antiguo|antigua|ya no",
  ],
  conditional: [
    "if|unless|suppos(?:e|ing)|imagine|pretend|hypothetically|assum(?:e|ing)|would|wish|were i",
    "wenn|falls|angenommen|würden?|wäre[nt]?|hätte[nt]?|sofern",
    "si|supposons|imaginons|imagine|serais|serait|aurais|aurait|voudrais|voudrait|aimerais|aimerait",
    "supongamos|imagina|imaginemos|ojalá|sería|tendría|quisiera|gustaría",
  ],
  uncertain: [
    "might|may|must|should|shall|ought|maybe|perhaps|probably|possibly|could|guess|unsure|supposedly|apparently|allegedly",
    "vielleicht|möglicherweise|wahrscheinlich|vermutlich|angeblich|könnten?|müssen|muss|sollten?|soll",
    "peut|pourrait|devrait|dois|doit|probablement|apparemment",
    "quizás?|tal vez|probablemente|acaso|supuestamente|puede|debo|debe|debería",
  ],
  intended: [
    "want(?:s|ed)?|plan(?:s|ned|ning)?|hop(?:e|es|ed|ing)|intend(?:s|ed|ing)?|going to|tr(?:y|ies|ied|ying)|consider(?:s|ed|ing)?|promis(?:e|es|ed)|agreed? to|need(?:s|ed)? to",
    "möchten?|will|wollen?|plane|plant|hoffen?|hofft|versuchen?|versucht|vorhabe",
    "veux|veut|espère|essaie|compte|prévois|prévoit",
    "quiero|quiere|espero|espera|planeo|planea|intento|intenta|pienso",
  ],
  likes: [
    "lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy(?:s|ed|ing)?|prefer(?:s|red|ring)?|adores?|favou?rites?|fan|fond",
    "lieb(?:e|t|en)|mag|mögen|bevorzug(?:e|t|en)|gerne?|lieblings\\p{L}*|lieber",
    "aim(?:e|es|ent|ons)|adore|préfèr(?:e|es)|préférée?s?",
    "gustan?|encantan?|prefier(?:o|e)|favorit[oa]s?|am[oa]",
  ],
  dislikes: [
    "hat(?:e|es|ed|ing)|dislik(?:e|es|ed|ing)|detests?|loathes?|avoid(?:s|ed|ing)?|despises?|annoy(?:s|ed|ing)?",
    "hass(?:e|t|en)|verabscheu(?:e|t|en)|vermeid(?:e|et|en)",
    "détest(?:e|es)|hais|hait|évit(?:e|es)",
    "odi(?:o|a)|detest(?:o|a)|evit(?:o|a)",
  ],
  allergic: ["allerg\\p{L}*|intoleran\\p{L}*|alérgic[oa]|alergia|unverträglich\\p{L}*"],
};

const SIGNS: Readonly<Record<Operator, string>> = {
  negated: "[不没沒無无别別未非]|ない|ません|なく|ずに|ぬ(?=。|$)|않|아니|못하|없",
  ended: "曾经|曾經|以前|不再|やめ|昔|かつて",
  conditional: "如果|的话|的話|假如|要是|假设|假設|倘若|もし|たら|ならば|れば|만약|라면",
  uncertain: "可能|也许|也許|大概|或许|かもしれ|たぶん|多分|でしょう|아마",
  intended: "想(?!着)|打算|希望|计划|計劃|たい|つもり|予定|싶",
  likes: "喜欢|喜歡|[爱愛]|偏好|好き|大好き|좋아",
  dislikes: "讨厌|討厭|恨|嫌い|苦手|싫어",
  allergic: "过敏|過敏|アレルギー|알레르기",
};

const OPERATORS = Object.keys(PATTERNS) as readonly Operator[];
const WORDS = mapOf((operator) => new RegExp(`(?<= )(?:${PATTERNS[operator].join("|")})(?= )`, "u"));
const IN_SIGNS = mapOf((operator) => new RegExp(SIGNS[operator], "u"));

function mapOf(make: (operator: Operator) => RegExp): ReadonlyMap<Operator, RegExp> {
  return new Map(OPERATORS.map((operator) => [operator, make(operator)]));
}

type Spoken = readonly { readonly text: string; readonly sign: boolean }[];

/** Sentences and clauses are asked about again by each proposal. */
const KNOWN = new WeakMap<Spoken, ReadonlySet<Operator>>();

/** What stands in words that follow each other. */
export function operatorsIn(words: Spoken): ReadonlySet<Operator> {
  const known = KNOWN.get(words);
  if (known !== undefined) return known;
  const spoken = ` ${words.map(({ text }) => text).join(" ")} `;
  const signs = words.map(({ text, sign }) => (sign || /\p{sc=Hangul}/u.test(text) ? text : " ")).join("");
  const found = new Set(
    OPERATORS.filter(
      (operator) =>
        WORDS.get(operator)?.test(spoken) === true || IN_SIGNS.get(operator)?.test(signs) === true,
    ),
  );
  KNOWN.set(words, found);
  return found;
}

export const sameOperators = (a: ReadonlySet<Operator>, b: ReadonlySet<Operator>): boolean =>
  a.size === b.size && [...a].every((operator) => b.has(operator));
