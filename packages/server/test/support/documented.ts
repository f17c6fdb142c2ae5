interface Documented {
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export interface DocumentedOperation extends Documented {
  /** The method in capitals and the path, e.g. `GET /facts/{factId}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

export function documentedOperations(document: Readonly<Record<string, unknown>>): DocumentedOperation[] {
  const { paths } = document as { readonly paths: Record<string, Record<string, Documented>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([name, operation]) => {
      const method = name.toUpperCase();
      return { ...operation, name: `${method} ${path}`, method, path };
    }),
  );
}

/** Each status with each of its media types, e.g. `200 text/event-stream`, and `204` alone. */
export const documentedAnswers = ({ responses }: Documented): string[] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    content === undefined ? [status] : Object.keys(content).map((type) => `${status} ${type}`),
  );
