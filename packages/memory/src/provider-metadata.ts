/** What a provider's adapter keeps for itself, by the provider's name. Never taken from a client. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;
