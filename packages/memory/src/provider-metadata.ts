/** Data that the adapter of a model provider stores for its own use, by the provider's name. Never accepted from a client. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;
