/** The service's error for an invalid request. */
export interface Refusal {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
}

type Fields = Readonly<Record<string, unknown>>;

export interface WireCall extends Fields {
  readonly id: string;
}

/** A message of a request, after a check of its form. */
export interface WireMessage extends Fields {
  readonly role: string;
  readonly tool_calls?: readonly WireCall[];
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isName = (value: unknown): boolean =>
  typeof value === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(value);
