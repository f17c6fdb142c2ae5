/**
 * A message with another person's words pasted in; `thirdParty` lists that person's sentences in the first person.
 * Written without knowledge of the rules. `UNMARKED` contains pages without any mark of their source.
 */
export interface Paste {
  readonly message: string;
  readonly thirdParty: readonly string[];
}

export const PASTES: readonly Paste[] = [
  {
    message:
      "Can you answer this?\n\nFrom: Maria Kent <maria@kent.example>\nTo: me@home.example\nSubject: Move\n\nHi Tom,\nI am moving to Oslo in May. I have two dogs.\nMaria",
    thirdParty: ["I am moving to Oslo in May.", "I have two dogs."],
  },
  {
    message:
      "Summarise:\n\n---------- Forwarded message ---------\nFrom: Bob Hill <bob@hill.example>\nDate: Mon, 3 Mar 2025 at 10:12\nSubject: Leave\n\nI'm on leave until June. My wife is ill.",
    thirdParty: ["I'm on leave until June.", "My wife is ill."],
  },
  {
    message:
      "What does she mean?\n\n[10:02] Ann: I live in Rome now\n[10:03] Ben: nice\n[10:04] Ann: I hate the heat though",
    thirdParty: ["I live in Rome now", "I hate the heat though"],
  },
  {
    message: "Here is an article:\n\nI grew up on a farm in Kansas. My father was a vet.",
    thirdParty: ["I grew up on a farm in Kansas.", "My father was a vet."],
  },
  {
    message:
      'Is this review positive? "I bought these boots in May and I love them. My feet are always warm."',
    thirdParty: ["I bought these boots in May and I love them.", "My feet are always warm."],
  },
  {
    message:
      "Explain this code:\n```js\n// I am Pete, I wrote this in 2009\n// I live on coffee\nfunction f() { return 1; }\n```",
    thirdParty: ["I am Pete, I wrote this in 2009", "I live on coffee"],
  },
  {
    message:
      'Validate this JSON: {"name": "Carla", "bio": "I am a pilot from Malta.", "hobby": "I collect stamps."}',
    thirdParty: ["I am a pilot from Malta.", "I collect stamps."],
  },
  {
    message:
      "Fix the indentation:\n\nuser:\n  name: Deb\n  bio: I am a welder from Ohio\n  note: I own three cats\n  active: true",
    thirdParty: ["I am a welder from Ohio", "I own three cats"],
  },
  {
    message:
      "Please reword this ticket\n\nTICKET-4411\nStatus: open\nReporter: Hugo Marsh\nCreated: 2025-02-03\n\nI cannot log in. I use an iPhone 12.",
    thirdParty: ["I cannot log in.", "I use an iPhone 12."],
  },
  {
    message:
      "On Tue, 4 Feb 2025 at 09:00, Kim <kim@lee.example> wrote:\n> I am vegan now.\n> I moved to Busan.\n\nHow should I reply?",
    thirdParty: ["I am vegan now.", "I moved to Busan."],
  },
  {
    message:
      "Translate this poem:\n\nI wandered down the harbour wall,\nI had no coat, I had no shawl,\nmy mother called me from the door,\nI do not hear her any more.",
    thirdParty: [
      "I wandered down the harbour wall",
      "I had no coat, I had no shawl",
      "I do not hear her any more.",
    ],
  },
  {
    message:
      "Übersetze bitte diese Mail:\n\nVon: Petra Lang <petra@lang.example>\nAn: Team\nBetreff: Urlaub\n\nHallo zusammen,\nich bin ab Montag im Urlaub. Ich fahre nach Kreta.\nPetra",
    thirdParty: ["ich bin ab Montag im Urlaub.", "Ich fahre nach Kreta."],
  },
  {
    message:
      "Was soll ich antworten?\n\n12.03.25, 14:02 - Uwe: Ich ziehe nach Bonn\n12.03.25, 14:03 - Uwe: Ich habe mich getrennt",
    thirdParty: ["Ich ziehe nach Bonn", "Ich habe mich getrennt"],
  },
  {
    message: "Ist diese Bewertung echt? „Ich war im Mai dort. Mein Mann und ich waren begeistert.“",
    thirdParty: ["Ich war im Mai dort.", "Mein Mann und ich waren begeistert."],
  },
  {
    message:
      "Kürze das Protokoll:\n\nProtokoll vom 3.2.2025\nTeilnehmer: Ina, Olaf\n\nIna: Ich übernehme das Budget.\nOlaf: Ich bin im März krank.",
    thirdParty: ["Ich übernehme das Budget.", "Ich bin im März krank."],
  },
  {
    message:
      "Am 4. Februar 2025 schrieb Ralf Otto:\n> Ich bin jetzt Rentner.\n> Ich wohne in Jena.\n\nWie gratuliere ich ihm?",
    thirdParty: ["Ich bin jetzt Rentner.", "Ich wohne in Jena."],
  },
  {
    message:
      "Résume ce courriel :\n\nDe : Luc Petit <luc@petit.example>\nÀ : moi\nObjet : Mariage\n\nBonjour,\nje me marie en juin. J'habite à Metz.\nLuc",
    thirdParty: ["je me marie en juin.", "J'habite à Metz."],
  },
  {
    message: "Que penses-tu de cet avis ? « J'ai acheté ce vélo en avril. Je suis très déçu du freinage. »",
    thirdParty: ["J'ai acheté ce vélo en avril.", "Je suis très déçu du freinage."],
  },
  {
    message: "Voici un article :\n\nJe suis né à Dakar. Ma mère était couturière.\n\nJ'ai trois frères.",
    thirdParty: ["Je suis né à Dakar.", "Ma mère était couturière.", "J'ai trois frères."],
  },
  {
    message:
      "[14:05] Zoé : je suis enceinte\n[14:06] Max : bravo\n[14:07] Zoé : je déménage à Pau\n\nQue lui offrir ?",
    thirdParty: ["je suis enceinte", "je déménage à Pau"],
  },
  {
    message: "Corrige ce texte :\n\n> Je travaille comme plombier.\n> J'ai un chien qui s'appelle Oslo.",
    thirdParty: ["Je travaille comme plombier.", "J'ai un chien qui s'appelle Oslo."],
  },
  {
    message:
      "Traduce este correo:\n\nDe: Inés Vega <ines@vega.example>\nPara: Todos\nAsunto: Baja\n\nHola,\nestoy de baja hasta mayo. Tengo la pierna rota.\nInés",
    thirdParty: ["estoy de baja hasta mayo.", "Tengo la pierna rota."],
  },
  {
    message: 'Resume esta reseña: "Compré la cafetera en enero. Estoy muy contenta con ella."',
    thirdParty: ["Compré la cafetera en enero.", "Estoy muy contenta con ella."],
  },
  {
    message:
      "Paco: me mudo a Lugo\nEva: ¿en serio?\nPaco: sí, tengo trabajo allí\nEva: yo odio mudarme\n\n¿Quién se muda?",
    thirdParty: ["me mudo a Lugo", "tengo trabajo allí", "yo odio mudarme"],
  },
  {
    message: 'Arregla este JSON: [{"autor": "Nico", "texto": "Soy celíaco y vivo en Jaén"}]',
    thirdParty: ["Soy celíaco y vivo en Jaén"],
  },
  {
    message:
      "Riassumi questa mail:\n\nDa: Gino Riva <gino@riva.example>\nA: Carlo\nOggetto: Trasloco\n\nCiao,\nmi trasferisco a Pisa. Ho due gatti.",
    thirdParty: ["mi trasferisco a Pisa.", "Ho due gatti."],
  },
  {
    message: "Ecco la recensione:\n\n«Ho provato il ristorante a marzo. Sono intollerante al lattosio.»",
    thirdParty: ["Ho provato il ristorante a marzo.", "Sono intollerante al lattosio."],
  },
  {
    message:
      "Cosa significa?\n\n[03/02/25, 18:20:11] Lia: sono incinta\n[03/02/25, 18:21:40] Lia: vivo ancora a Lecce",
    thirdParty: ["sono incinta", "vivo ancora a Lecce"],
  },
  {
    message:
      "Traduz este e-mail:\n\nDe: Rui Costa <rui@costa.example>\nPara: Equipa\nAssunto: Saída\n\nOlá,\neu deixo a empresa em abril. Tenho um filho pequeno.",
    thirdParty: ["eu deixo a empresa em abril.", "Tenho um filho pequeno."],
  },
  {
    message: "Em 5 de março de 2025, Ana Dias escreveu:\n> Moro em Braga.\n> Sou dentista.\n\nComo respondo?",
    thirdParty: ["Moro em Braga.", "Sou dentista."],
  },
  {
    message:
      "Vat deze mail samen:\n\nVan: Piet Smit <piet@smit.example>\nAan: Allen\nOnderwerp: Verlof\n\nHoi,\nik ben vader geworden. Ik werk vanaf nu vier dagen.",
    thirdParty: ["ik ben vader geworden.", "Ik werk vanaf nu vier dagen."],
  },
  {
    message: 'Is dit een goede recensie? "Ik kocht deze fiets in mei. Ik ben er heel blij mee."',
    thirdParty: ["Ik kocht deze fiets in mei.", "Ik ben er heel blij mee."],
  },
  {
    message:
      "Перескажи письмо:\n\nОт: Анна Ким <anna@kim.example>\nКому: Всем\nТема: Отпуск\n\nПривет,\nя уезжаю в Сочи. У меня аллергия на кошек.",
    thirdParty: ["я уезжаю в Сочи.", "У меня аллергия на кошек."],
  },
  {
    message: "Это хороший отзыв? «Я купила пальто в мае. Я очень довольна.»",
    thirdParty: ["Я купила пальто в мае.", "Я очень довольна."],
  },
  {
    message:
      "[11:20] Лёша: я переехал в Омск\n[11:21] Даша: ого\n[11:22] Лёша: у меня теперь собака\n\nО чём они?",
    thirdParty: ["я переехал в Омск", "у меня теперь собака"],
  },
  {
    message:
      "このメールを要約して：\n\n差出人: 佐藤 <sato@mail.example>\n宛先: 全員\n件名: 異動\n\n私は四月に福岡へ転勤します。私は犬を飼っています。",
    thirdParty: ["私は四月に福岡へ転勤します。", "私は犬を飼っています。"],
  },
  {
    message: "このレビューはどう思う？「私は五月にこの靴を買いました。とても気に入っています。」",
    thirdParty: ["私は五月にこの靴を買いました。", "とても気に入っています。"],
  },
  {
    message:
      "翻译这封邮件：\n\n发件人: 王芳 <wang@mail.example>\n收件人: 大家\n主题: 请假\n\n我下周去昆明。我对花生过敏。",
    thirdParty: ["我下周去昆明。", "我对花生过敏。"],
  },
  {
    message: "这条评论是真的吗？“我五月买了这双鞋。我很满意。”",
    thirdParty: ["我五月买了这双鞋。", "我很满意。"],
  },
  {
    message:
      "What went wrong?\n\n2025-03-01 10:00:01 INFO chat user=77 said: I am diabetic\n2025-03-01 10:00:09 WARN chat user=77 said: I live in Ghent\n2025-03-01 10:00:12 ERROR timeout",
    thirdParty: ["I am diabetic", "I live in Ghent"],
  },
  {
    message:
      "Are these terms fair?\n\n1. Acceptance\nI agree that I am over 18 years old.\n1.1 Liability\nI waive all my claims against the Provider.\n2. Term\nI am bound for 24 months.",
    thirdParty: ["I agree that I am over 18 years old.", "I waive all my claims against the Provider."],
  },
  {
    message:
      "Make this page shorter:\n\n# About me\n\nI'm Hanna, a potter from Umeå.\n\n## My studio\n\nI opened my studio in 2011.\n\n[Home](https://hanna.example) | [Shop](https://hanna.example/shop)\n\n© 2024 Hanna Berg",
    thirdParty: ["I'm Hanna, a potter from Umeå.", "I opened my studio in 2011."],
  },
];

export const UNMARKED: readonly Paste[] = [
  {
    message:
      "I was born in Tromsø and I keep bees. My honey has won prizes. I sell it at the fair.\n\nmake it shorter",
    thirdParty: ["I was born in Tromsø and I keep bees.", "I sell it at the fair."],
  },
  {
    message: "Proofread\n\nI have always loved boats. I built my first one at nine.",
    thirdParty: ["I have always loved boats.", "I built my first one at nine."],
  },
  {
    message: "Ich bin Bildhauerin und lebe in Weimar. Meine Werke hängen in Prag.\n\nBitte kürzen",
    thirdParty: ["Ich bin Bildhauerin und lebe in Weimar."],
  },
  {
    message: "Je suis photographe à Arles. J'expose depuis dix ans.\n\nPlus court s'il te plaît",
    thirdParty: ["Je suis photographe à Arles.", "J'expose depuis dix ans."],
  },
  {
    message: "Soy guía en Cuzco. Llevo veinte años subiendo montañas.\n\nhazlo más corto",
    thirdParty: ["Soy guía en Cuzco.", "Llevo veinte años subiendo montañas."],
  },
  {
    message: "Sono un liutaio di Cremona. Costruisco violini dal 1990.\n\nin inglese",
    thirdParty: ["Sono un liutaio di Cremona.", "Costruisco violini dal 1990."],
  },
  {
    message: "Я гончар из Гжели. Я учу детей по субботам.\n\nпо-английски",
    thirdParty: ["Я гончар из Гжели.", "Я учу детей по субботам."],
  },
  {
    message: "我是杭州的茶农。我家种茶三代了。\n\n改短一点",
    thirdParty: ["我是杭州的茶农。", "我家种茶三代了。"],
  },
];
