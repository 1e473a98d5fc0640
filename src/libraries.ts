// Libraries that are installed beside the program, not bundled, and loaded with their first use. They stand alone,
// because V8's code cache does not keep how a file imports: the build makes a file of this module that Node loads itself.

export const libraries = {
  chalk: () => import('chalk'),
  inquirer: () => import('inquirer'),
  keytar: () => import('keytar'),
  open: () => import('open'),
  ora: () => import('ora'),
} as const;
