import tseslint from "typescript-eslint";

export default tseslint.config({ ignores: ["dist", "node_modules"] }, ...tseslint.configs.strict, {
  files: ["src/**/*.ts"],
  extends: [...tseslint.configs.recommendedTypeChecked],
  languageOptions: { parserOptions: { projectService: true } },
  rules: { "@typescript-eslint/no-non-null-assertion": "off" },
});
