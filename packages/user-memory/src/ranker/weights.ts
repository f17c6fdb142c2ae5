/** How much each kind of evidence counts: found by measuring; each lies where a change of a third changes little. */
export const WEIGHTS = {
  /** BM25's k1: how soon the repetition of a word stops counting. */
  saturation: 1.5,
  /** Exponent of a word's rarity (idf). */
  rarity: 1.2,
  /** BM25's b: how much less a word counts in a document that is longer than usual; 0: its length doesn't matter. */
  length: 0.7,
  /** Exponent of the number of words of the query that are met. */
  coverage: 0.3,
  /** What a word counts that the document itself asks with, where several people talk: the answer is another's. */
  askedHere: 0.5,
  /** Factor for a word that a message before asked with: this one may be the answer. */
  askedBefore: 2,
  /** Factor for a word that a message after asks with. */
  askedAfter: 0.7,
  /** What a word counts that was said one message before, two before, and so on. */
  before: [0.4, 0.2],
  /** What a word counts that was said one message after, two after, and so on. */
  after: [0.3, 0.15],
  /** What the words count that were said anywhere in the conversation. */
  conversation: 0.25,
  /** A conversation of more messages than this says less of each of them. */
  conversationSize: 20,
  /** Exponent of the number of words of the query that are met in the conversation. */
  conversationCoverage: 0.75,
  /** Factor for a document by somebody whom the query names. */
  author: 3,
  /** Factor on top of `author` for whom the query names second or later. */
  laterAuthor: 0.7,
  /** As `author`, for a message that was found by its neighbours alone, so that its author is inferred. */
  inferredAuthor: 2,
  /** Factor for what the assistant said. */
  assistant: 0.5,
  /** Factor for a document that says when, if the query asks when. */
  time: 1.3,
  /** How much of its own score a document gains by being of the date that the query names. */
  date: 2,
  /** What a document gains by its date alone. */
  dateAlone: 8,
} as const;
