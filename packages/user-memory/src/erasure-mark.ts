/** Which state of a user's memory somebody has seen: a write that carries it is refused once everything was forgotten. */
export type ErasureMark = number & { readonly __brand: "ErasureMark" };
