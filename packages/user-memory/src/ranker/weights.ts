/** The weights of the ranker, found by measurement. If a weight changes by a third, rankings change little. */
export const WEIGHTS = {
  /** BM25's k1: how soon further repetitions of a word stop adding to the score. */
  saturation: 1.5,
  /** Exponent of a word's rarity (idf). A word is rarer if fewer of the user's documents contain it. */
  rarity: 1.2,
  /** BM25's b: how much less a word counts in a longer document. With 0, the length of a document doesn't matter. */
  length: 0.7,
  /**
   * A document's score by words is multiplied by `n ** coverage`. `n` is the number of query words that the document
   * matches.
   */
  coverage: 0.3,
  /**
   * Factor for a word in a question of the document itself. Only used if the documents have several authors, because then
   * another author answers the question.
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
  /** In a conversation with more than this number of messages, words anywhere in the conversation count less. */
  conversationSize: 20,
  /**
   * The score for the whole conversation is multiplied by `n ** conversationCoverage`. `n` is the number of query words
   * that the conversation contains.
   */
  conversationCoverage: 0.75,
  /** Factor for a document whose author the query names. */
  author: 3,
  /** Additional factor for a document whose author the query names after another author. */
  laterAuthor: 0.7,
  /**
   * Factor for a message that contains no word of the query, if the query names the message's author. The author is
   * guessed from the messages near it.
   */
  inferredAuthor: 2,
  /** Factor for a message of the assistant. */
  assistant: 0.5,
  /** Factor for a document that mentions a time, if the query asks for a time (`when …`). */
  time: 1.3,
  /**
   * If the query names a date, this many times the document's own score is added to the score of a document with this
   * date.
   */
  date: 2,
  /**
   * If the query names a date, this number is added to the score of a document with this date, even if no word matches.
   */
  dateAlone: 8,
} as const;
