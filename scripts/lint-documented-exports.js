const VALUES = new Set(['FunctionDeclaration', 'ClassDeclaration', 'TSDeclareFunction']);

/** Refuses an exported function or class without a docstring. Types and constants are left to the reviewer. */
export const documentedExports = {
  meta: { type: 'suggestion', schema: [], messages: { bare: 'what is exported says in a docstring what it guarantees' } },
  create(context) {
    return {
      ExportNamedDeclaration(node) {
        if (!node.declaration || !VALUES.has(node.declaration.type)) return;
        const before = context.sourceCode.getCommentsBefore(node).at(-1);
        if (before?.type !== 'Block' || !before.value.startsWith('*')) context.report({ node, messageId: 'bare' });
      },
    };
  },
};
