/**
 * Words that decide whether a fact may be drawn from what somebody said: English, German, French and Spanish, with Chinese
 * and Japanese for what is decided by signs. A language that isn't here loses nothing but reach: what can't be judged is
 * kept for review.
 */
const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** The speaker. */
export const FIRST_PERSON = set(`
  i me my mine myself we us our ours ourselves
  ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer
  je j moi mon ma mes nous notre nos
  yo mí mi mis conmigo nosotros nosotras nuestro nuestra nuestros nuestras
  我 我们 我們 咱们 咱 私 僕 俺 わたし ぼく
`);
/** How a fact names the speaker. */
export const USER = set(`
  user users nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenderin utilisateur utilisatrice usuario usuaria
  用户 用戶 使用者 ユーザー ユーザ
`);
/** Of somebody; in a fact it may be the user. */
export const THIRD_PERSON = set(`
  he him his himself she her hers herself they them their theirs themselves
  er ihn ihm sie ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner
  il elle lui son sa ses leur leurs ils elles él ella ello su sus suyo suya ellos ellas 他 她 他们 彼 彼女
`);
export const SECOND_PERSON = set(`
  you your yours yourself du dich dir dein deine deinen deinem deiner ihnen euch euer
  tu te toi ton tes vous votre vos tú ti tuyo usted ustedes vosotros 你 您 你们 あなた
`);
export const ARTICLES = set("the der die das dem den des le la les el los las l");

/** What points back at something that was named before. */
export const ANAPHORS = set(
  "it its this that these those there es das dies dieses ça cela ce eso esto ello lo 它 这 那 それ これ",
);

/** People one speaks of. What is said of them isn't said of the speaker. */
export const PEOPLE = set(`
  brother sister mother mom mum father dad parent parents son daughter child kid kids children baby wife husband spouse
  partner boyfriend girlfriend fiance fiancée friend friends colleague colleagues coworker boss manager neighbour neighbor
  uncle aunt cousin nephew niece grandmother grandma grandfather grandpa roommate flatmate teacher client customer somebody
  someone everybody everyone people person guy
  bruder schwester mutter mama vater papa eltern sohn tochter kind kinder frau mann ehefrau ehemann partnerin freund
  freundin freunde kollege kollegin kollegen chef chefin nachbar nachbarin onkel tante oma opa jemand leute
  frère soeur sœur mère maman père fils fille enfant enfants femme mari copain copine ami amie amis collègue patron voisin
  voisine oncle tante quelqu gens
  hermano hermana madre mamá padre papá hijo hija hijos niño niña esposa esposo marido mujer novio novia amigo amiga amigos
  jefe jefa vecino vecina tío tía alguien gente
`);

/** Says nothing of what a sentence is about, and may stand before or behind a statement. */
export const HARMLESS = set(`
  and but so also well yes yeah yep ok okay oh ah hi hello hey hallo hola salut bonjour dear please thanks thank remember note fyi btw by the way that
  just actually honestly frankly really very much lot a an of course currently now today nowadays recently lately still too
  yesterday already again basically generally normally mostly essentially literally personally sorry as usually often sometimes because since though although while when however anyway first second
  und aber also ja bitte danke merk merke dir dass übrigens eigentlich ehrlich gesagt wirklich sehr gerade jetzt heute gestern
  noch auch schon weil denn da immer oft meistens
  et mais donc aussi oui merci rappelle toi que note bien au fait en vrai vraiment très actuellement maintenant aujourd hui hier
  encore déjà parce car souvent s il te plaît
  y pero también sí gracias recuerda que por favor de hecho realmente muy actualmente ahora hoy ayer todavía ya porque siempre
  '' 请 記 记 住 另 外 其 实 現 现 在 也 就 目 前
`);

/** May be left out, or be said in place of a noun or a verb that says as much: it adds nothing that could be wrong. */
const NEUTRAL_NOUNS = `
  name named called project app language based located currently heißt heiße name namens projekt sprache
  nom nommé appelé appelle projet langue nombre llamado llama llamo proyecto idioma
`;
export const NEUTRAL_VERBS = set(`
  have has had got own owns be is am are was were work works working live lives living use uses using
  habe hat haben arbeitet arbeite wohnt wohne lebt lebe nutzt nutze benutzt
  a ai avoir travaille habite vis vit utilise
  tiene tengo trabaja trabajo vive vivo usa uso
`);
export const NEUTRAL: ReadonlySet<string> = new Set([...set(NEUTRAL_NOUNS), ...NEUTRAL_VERBS]);

/** Words for a name: who says `I'm Anna` is named so. */
export const NAMING = set(
  "name named called heiße heißt namens appelle appelé nom nommé llamo llama llamado nombre",
);

/** The speaker as a subject. */
export const SUBJECT = set("i we ich wir je j nous yo nosotros nosotras 我 我们 私");

/** The speaker as an object. */
export const OBJECT = set("me us mich mir uns moi mí conmigo");

/** Clauses that begin so stand beside each other: neither is what the other tells, asks or supposes. */
export const COORDINATING = set(
  "and but because since so although und aber weil obwohl et mais parce car y pero porque aunque",
);

/** Questions begin with these. */
export const ASKING = set(`
  what which how where who why when can could should would do does is are any
  was welche welcher welches wie wo wer warum kann soll que quel quelle comment où pourquoi qué cuál cómo dónde quién
`);

/** Function words that change what is said, so that a fact holds them only if the user said them. */
export const BINDING = set(`
  all every each only most none always more less many few both must should shall may can could might ought than over
  alle jeder jede jedes nur immer mehr weniger viele beide muss soll sollte darf kann könnte
  tout tous toute toutes chaque seulement toujours plus moins doit devrait peut
  todo todos toda todas cada solo sólo siempre más menos debe debería puede
`);

/** Order matters beside these. */
export const COMPARING = set(
  "over than instead rather before after als statt lieber anstatt plutôt antes 比 より",
);

/** They take a sentence as their object: what follows is what somebody thinks or says. */
export const OPINION = set(`
  think thinks thought believe believes believed say says said know knows guess suppose claim claims claimed mean means sure
  true false doubt hope told tells heard
  glaube denke sage sagt sagte sagen weiß meine meint behauptet sicher wahr falsch gehört
  pense penses crois croit dit disent sais sûr vrai faux doute entendu
  creo cree pienso piensa digo dice dicen sé seguro verdad falso dudo oído
  觉得 认为 说 听说 思う 言う
`);

/** Words of other languages that say nothing by themselves; English ones are known to recall. */
export const FUNCTION_WORDS = set(`
  's mr mrs it
  ein eine einen einem einer eines der die das dem den des und oder in im an am auf bei mit von vom zu zum zur für aus nach
  über unter vor um als wie ist bin sind war waren wird wurde es sich dass
  un une des du de le la les et ou à au aux en dans sur avec pour par est suis sont était que qui ce se
  un una unos unas el la los las lo y o u a al del de en con para por es soy está estoy son era que se
  的 了 是 在 和 也 很 就 都 着 有 与 及 は が を に の で と も へ や か い る し て た だ で す ま ん な こ そ れ り く つ き っ
`);
