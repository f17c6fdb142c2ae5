/** Requests not to keep something, written without knowledge of the lexicon, with two facts to combine them with. */
export const HOLD_OUT: readonly {
  readonly language: string;
  readonly facts: readonly [string, string];
  readonly phrasings: readonly string[];
}[] = [
  {
    language: "en",
    facts: ["I was fired from my last job", "my sister lives in Leeds"],
    phrasings: [
      "Please don't commit this to memory",
      "No need to store that anywhere",
      "This stays between us",
      "Let's keep this one out of your notes",
      "I'd rather you didn't hang on to this",
      "You never heard this from me",
      "Scratch that from your records",
      "Could you not write any of this down",
      "I don't want this on file",
      "Do not log this",
      "Don't go remembering this, ok",
      "Strictly off the books",
    ],
  },
  {
    language: "de",
    facts: ["Mir wurde im März gekündigt", "meine Schwester wohnt in Kiel"],
    phrasings: [
      "Merk dir das bloß nicht",
      "Das musst du dir nicht aufschreiben",
      "Behalte das bitte nicht im Gedächtnis",
      "Das bleibt unter uns",
      "Bitte nichts davon abspeichern",
      "Ich möchte nicht, dass du das festhältst",
      "Vergiss gleich wieder, was ich jetzt sage",
      "Das gehört nicht in deine Notizen",
    ],
  },
  {
    language: "fr",
    facts: ["J'ai perdu mon emploi en mars", "ma sœur habite à Lille"],
    phrasings: [
      "Ne garde pas ça en mémoire",
      "Inutile de noter ça",
      "Que cela reste entre nous",
      "Je préfère que tu n'enregistres pas ça",
      "Oublie tout de suite ce que je te dis",
      "Surtout ne retiens rien de tout ça",
      "Merci de ne rien conserver de ce message",
      "T'as pas besoin de t'en souvenir",
    ],
  },
  {
    language: "es",
    facts: ["Me despidieron en marzo", "mi hermana vive en Vigo"],
    phrasings: [
      "No guardes esto",
      "Que esto quede entre nosotros",
      "No hace falta que lo apuntes",
      "Prefiero que no recuerdes esto",
      "Olvida lo que te voy a decir",
      "Por favor, no lo anotes en ningún sitio",
      "No quiero que esto quede registrado",
      "Ni se te ocurra memorizar esto",
    ],
  },
  {
    language: "it",
    facts: ["Mi hanno licenziato a marzo", "mia sorella abita a Bari"],
    phrasings: [
      "Non salvare questa cosa",
      "Che resti tra noi",
      "Non c'è bisogno che te lo segni",
      "Preferirei che non lo ricordassi",
      "Non prendere nota di questo",
      "Dimentica subito quello che ti dico",
    ],
  },
  {
    language: "zh",
    facts: ["我三月份被公司辞退了", "我姐姐住在苏州"],
    phrasings: ["这件事别记下来", "请不要保存这条信息", "这话你听过就算了", "不用帮我记着"],
  },
];
