/** The weights of the ranker, found by measurement. If a weight changes by a third, rankings change little. */
export const WEIGHTS = {
  /** BM25's k1: how soon further repetitions of a word stop adding to the score. */
  saturation: 1.5,
  /** Exponent of a word's rarity. A word is rarer if fewer of the user's documents contain it (idf). */
  rarity: 1.2,
  /** BM25's b: how much less a word counts in a longer document. With 0, the length of a document doesn't matter. */
  length: 0.7,
  /** Exponent of the number of query words that a document matches. */
  coverage: 0.3,
  /**
   * Factor for a word in a question of the document itself. Only used if there are several authors, because another author
   * answers the question.
   */
  askedHere: 0.5,
  /** Factor for a word in a question of a message before the document, because the document can be the answer. */
  askedBefore: 2,
  /** Factor for a word in a question of a message after the document. */
  askedAfter: 0.7,
  /** Weights of a word in the message one before the document, two before the document, and so on. */
  before: [0.4, 0.2],
  /** Weights of a word in the message one after the document, two after the document, and so on. */
  after: [0.3, 0.15],
  /** Weight of words anywhere in the document's conversation. */
  conversation: 0.25,
  /** Number of messages. In a longer conversation, words anywhere in the conversation count less. */
  conversationSize: 20,
  /** Exponent of the number of query words that the conversation matches. */
  conversationCoverage: 0.75,
  /** Factor for a document whose author the query names. */
  author: 3,
  /** Additional factor for an author that the query names after another author. */
  laterAuthor: 0.7,
  /** Factor for a message without a match whose author the query names. The author is inferred from the messages near it. */
  inferredAuthor: 2,
  /** Factor for a message of the assistant. */
  assistant: 0.5,
  /** Factor for a document that mentions a time, if the query asks when. */
  time: 1.3,
  /** Factor: a document with a date that the query names gains this many times its own score. */
  date: 2,
  /** The score that a document with a date that the query names gains in addition, even if no word matches. */
  dateAlone: 8,
} as const;
