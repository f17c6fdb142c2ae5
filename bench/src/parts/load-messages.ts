import * as z from "zod";
import { addressSchema } from "../stores/connect.ts";

/** What a writing process is told: users from `firstUser` on, with one conversation each, get `turns` turns each. */
export const writerSetupSchema = z.strictObject({
  address: addressSchema,
  firstUser: z.number(),
  users: z.number(),
  turns: z.number(),
});

export type WriterSetup = z.output<typeof writerSetupSchema>;

/** Sent once, at the end. */
export const writerReportSchema = z.strictObject({
  /** Of each append, in microseconds, with every attempt at it. */
  micros: z.array(z.number()),
  /** How many attempts failed. Each append succeeded in the end, or the process ends with an error. */
  failures: z.number(),
});

export type WriterReport = z.output<typeof writerReportSchema>;

export const userName = (user: number): string => `user-${user}`;
export const conversationOf = (user: number): string => `load-${user}`;

/** Each message says which one it is, so that it can be told at the end whether any is missing. */
export const textOf = (user: number, nth: number, text: string): string => `${user}:${nth} ${text}`;

export function numberIn(user: number, text: string): number {
  const [of, nth] = text.slice(0, text.indexOf(" ")).split(":").map(Number);
  return of === user && nth !== undefined ? nth : Number.NaN;
}
