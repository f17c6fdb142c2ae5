import { type Fields, fieldsOf } from "@jaf/model-http";

/** Under which name `providerMetadata` holds what is Gemini's own. */
const NAME = "google";

/** What else Gemini sent beside a part, a call or a message; empty where there was nothing. */
export const metadataIn = (holder: object): Fields =>
  fieldsOf(fieldsOf(fieldsOf(holder)["providerMetadata"])[NAME]);

export const asMetadata = (fields: Fields): { readonly providerMetadata?: Fields } =>
  Object.keys(fields).length === 0 ? {} : { providerMetadata: { [NAME]: fields } };
