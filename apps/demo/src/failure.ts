/** A failure that the person at the terminal can act on: printed as it is, without a stack. */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}
