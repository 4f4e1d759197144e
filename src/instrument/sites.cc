#include "instrument/sites.h"

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace ana {

Constant* SiteTable::text(StringRef string) {
  if (string.empty()) return nullptr;
  GlobalVariable*& global = texts_[string];
  if (!global) {
    Constant* data = ConstantDataArray::getString(module_.getContext(), string);
    global = new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data, "ana.text");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    global->setAlignment(Align(1));
  }
  return global;
}

// target - field: the field's own address plus its value is the string, with no relocation at load time.
static Constant* relative(Constant* target, Constant* field, Type* i32, Type* i64) {
  if (!target) return ConstantInt::get(i32, 0);
  Constant* distance =
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(target, i64), ConstantExpr::getPtrToInt(field, i64));
  return ConstantExpr::getTrunc(distance, i32);
}

Constant* SiteTable::create(const Function& function, const DebugLoc& where, uint32_t flags) {
  LLVMContext& context = module_.getContext();
  Type* i32 = Type::getInt32Ty(context);
  Type* i64 = Type::getInt64Ty(context);
  StringRef name = function.getName();
  SmallString<128> file;
  uint32_t line = 0;
  uint32_t column = 0;
  if (const DILocation* location = where.get()) {
    line = location->getLine();
    column = std::min(location->getColumn(), ANA_SITE_COLUMN);
    file = location->getFilename();
    if (!sys::path::is_absolute(file) && !location->getDirectory().empty()) {
      file = location->getDirectory();
      sys::path::append(file, location->getFilename());
    }
    if (const DISubprogram* subprogram = location->getScope()->getSubprogram()) {
      name = subprogram->getLinkageName().empty() ? subprogram->getName() : subprogram->getLinkageName();
    }
  }
  auto* type = StructType::get(context, {i32, i32, i32, i32});
  auto* site = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, nullptr, "ana.site");
  site->setSection("ana_sites");
  site->setAlignment(Align(4));
  Constant* function_field = ConstantExpr::getInBoundsGetElementPtr(i32, site, ConstantInt::get(i64, 1));
  site->setInitializer(ConstantStruct::get(type, {relative(text(file), site, i32, i64),
                                                  relative(text(name), function_field, i32, i64),
                                                  ConstantInt::get(i32, line), ConstantInt::get(i32, column | flags)}));
  return site;
}

}  // namespace ana
