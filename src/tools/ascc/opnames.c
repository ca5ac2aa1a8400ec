/* Names that follow from an operator's: of its kernel and header, of parameters, of dtypes. */
#include "tools/ascc/opnames.h"

#include "acl/acl_base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

char *snake_name(const char *name)
{
    text t = {0};
    text_put(&t, "");
    for (size_t i = 0; name[i]; i++) {
        bool starts_word = is_upper(name[i]) && i > 0 && name[i - 1] != '_' &&
                           (!is_upper(name[i - 1]) || (name[i + 1] >= 'a' && name[i + 1] <= 'z'));
        char c = (char)tolower((unsigned char)name[i]);
        text_put(&t, starts_word ? "_" : "");
        text_add(&t, &c, 1);
    }
    return t.bytes;
}

char *upper_name(const char *name)
{
    char *upper = say("%s", name);
    for (char *c = upper; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    return upper;
}

static bool is_taken(const words *used, const char *name)
{
    static const char *const reserved[] = {
        "auto",     "bool",      "break",     "case",   "catch",    "char",     "class",
        "const",    "continue",  "default",   "delete", "do",       "double",   "else",
        "enum",     "explicit",  "export",    "extern", "false",    "float",    "for",
        "friend",   "goto",      "if",        "inline", "int",      "long",     "mutable",
        "new",      "operator",  "private",   "public", "register", "restrict", "return",
        "short",    "signed",    "sizeof",    "static", "struct",   "switch",   "template",
        "this",     "throw",     "true",      "try",    "typedef",  "typename", "union",
        "unsigned", "using",     "virtual",   "void",   "volatile", "while",    "workspaceSize",
        "executor", "namespace", "protected", "args"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (!strcmp(reserved[i], name)) {
            return true;
        }
    }
    for (size_t i = 0; i < used->count; i++) {
        if (!strcmp(used->at[i], name)) {
            return true;
        }
    }
    return false;
}

const char *parameter_name(words *used, const char *name, const char *ending)
{
    text t = {0};
    text_put(&t, "");
    for (size_t i = 0; name[i]; i++) {
        bool joint = name[i] == '_' && i > 0 && name[i + 1];
        char c = joint ? (char)toupper((unsigned char)name[++i]) : name[i];
        text_add(&t, &c, 1);
    }
    text_put(&t, ending);
    while (is_taken(used, t.bytes)) {
        text_put(&t, "_");
    }
    words_add(used, t.bytes);
    return t.bytes;
}

bool dtype_names(int dtype, const char **type, const char **original)
{
    static const struct {
        int dtype;
        const char *type, *original;
    } names[] = {
        {ACL_FLOAT, "float", "DT_FLOAT"},      {ACL_FLOAT16, "half", "DT_FLOAT16"},
        {ACL_BF16, "bfloat16_t", "DT_BF16"},   {ACL_INT8, "int8_t", "DT_INT8"},
        {ACL_UINT8, "uint8_t", "DT_UINT8"},    {ACL_INT16, "int16_t", "DT_INT16"},
        {ACL_UINT16, "uint16_t", "DT_UINT16"}, {ACL_INT32, "int32_t", "DT_INT32"},
        {ACL_UINT32, "uint32_t", "DT_UINT32"}, {ACL_INT64, "int64_t", "DT_INT64"},
        {ACL_UINT64, "uint64_t", "DT_UINT64"}, {ACL_DOUBLE, "double", "DT_DOUBLE"},
        {ACL_BOOL, "bool", "DT_BOOL"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].dtype == dtype) {
            *type = names[i].type;
            *original = names[i].original;
            return true;
        }
    }
    return false;
}

bool contains_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool after = isalnum((unsigned char)at[n]) || at[n] == '_';
        if (!before && !after) {
            return true;
        }
    }
    return false;
}
