const built: string[] = [];

/**
 * A zod schema that is built at its first use and kept. Building object schemas costs more than any other part of
 * start-up, so no module builds one while it loads.
 *
 * @param name what `builtSchemaNames` reports once the schema exists
 */
export function lazySchema<Schema>(name: string, build: () => Schema): () => Schema {
  let schema: Schema | undefined;
  return () => {
    if (schema === undefined) {
      schema = build();
      built.push(name);
    }
    return schema;
  };
}

/** The schemas built so far in this process, in order. The start-up budget test counts them. */
export function builtSchemaNames(): readonly string[] {
  return built;
}
